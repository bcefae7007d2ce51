import {
  CHAT,
  chunksOf,
  lastReply,
  messageOf,
  postChat,
  resume,
  said,
  submit,
  textOf,
} from './chat-client';
import { heldReply } from './mid-reply';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { untilInProcess } from '../../support/until';

const BEFORE = 'Thank you, 👩‍🚀 that is clear.';
const AFTER = ' Noted.';

describe('the API of the AI SDK after an interruption', () => {
  let app: TestApp;
  /** Its debounce window does not end by itself. */
  let slow: TestApp;

  beforeAll(async () => {
    app = await startTestApp(CHAT);
    const env = { INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '600', INTERVIEW_BUFFER_MAX_WAIT: '3600' };
    slow = await startTestApp({ ...CHAT, env });
  });

  afterEach(() => {
    app.model.release();
  });

  afterAll(async () => {
    await slow.close();
    await app.close();
  });

  test('resumes nothing when nothing is pending', async () => {
    const candidate = await TestCandidate.begin(app);

    expect(await resume(candidate)).toBeNull();
  });

  test('holds a resume during the debounce window, then streams the reply', async () => {
    const candidate = await TestCandidate.begin(slow);
    await candidate.send('m1', 'Rye.');

    const resumed = await resume(candidate);

    expect((await candidate.view()).hasBuffer).toBe(true);
    await candidate.post('done');
    const message = resumed && (await messageOf(resumed));
    expect(textOf(message ?? undefined)).toBe((await lastReply(candidate)).text);
  });

  test('writes the reply on without its reader, and a resume gives the whole text', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    const leave = new AbortController();
    const body = { id: candidate.conversationId, messages: [said('m1', 'Rye.')] };
    const response = await postChat(candidate, body, leave.signal);
    const half = await readUntil(response, BEFORE.slice(-5));
    leave.abort();

    const resumed = await resume(candidate);
    app.model.release();
    const message = resumed === null ? undefined : await messageOf(resumed);

    const stored = await lastReply(candidate);
    expect(half).toContain(`"messageId":"${stored.id}"`);
    expect(message?.id).toBe(stored.id);
    expect(textOf(message)).toBe(stored.text);
    expect(stored.text.startsWith(BEFORE + AFTER)).toBe(true);
  });

  test('cuts a reply that broke off and never ends it; a resume replaces it', async () => {
    const candidate = await TestCandidate.begin(app);
    const half = heldReply(BEFORE, AFTER);
    app.model.next({ kind: 'cut', content: half.kind === 'hold' ? half.content : '' });
    const response = await postChat(candidate, { id: 'c', messages: [said('m1', 'Rye.')] });

    await expect(response.text()).rejects.toThrow();

    const resumed = await resume(candidate);
    const message = resumed === null ? undefined : await messageOf(resumed);
    const stored = await lastReply(candidate);
    if (message !== undefined) expect(textOf(message)).toBe(stored.text);
    expect(stored.text).not.toContain(BEFORE);
  });

  test('resumes while the answer waits for its retry', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next({ kind: 'status', status: 503 });
    await candidate.send('m1', 'Rye.');
    const waitsFor = (interval: string) =>
      app.commit((tx) =>
        tx.query(
          `update job set due_at = now() + $2::interval where key = $1 and state = 'retry'
           returning id`,
          [candidate.conversationId, interval],
        ),
      );
    await untilInProcess('the turn waits for a retry', async () => {
      return (await waitsFor('1 hour')).length > 0;
    });

    const resumed = await resume(candidate);
    await waitsFor('0');

    const message = resumed === null ? undefined : await messageOf(resumed);
    expect(textOf(message)).toBe((await lastReply(candidate)).text);
  });

  test('stops when another replica has stored the request to stop', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    const response = await postChat(candidate, { id: 'c', messages: [said('m1', 'Rye.')] });
    const reader = readAll(response);
    await reader.until(BEFORE.slice(-5));

    await app.commit((tx) =>
      tx.query('update turn set stop_requested_at = now() where conversation_id = $1', [
        candidate.conversationId,
      ]),
    );

    expect(await reader.rest()).toContain('"finishReason":"other"');
    expect((await lastReply(candidate)).text).toBe(BEFORE);
  });

  test('stops a reply: its text so far is stored and finished, and the question stays open', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    const response = await postChat(candidate, { id: 'c', messages: [said('m1', 'Rye.')] });
    const reader = readAll(response);
    await reader.until(BEFORE.slice(-5));

    const stopped = await candidate.get('/api/chat/c/stream').then(async (resumed) => {
      await resumed.body?.cancel();
      return fetch(`${app.url}/api/chat/c/stop`, {
        method: 'POST',
        headers: candidate.headers,
      });
    });

    const text = await reader.rest();
    expect(stopped.status).toBe(202);
    expect(text).toContain('"finishReason":"other"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const view = await candidate.waitFor(({ replying }) => !replying);
    expect(view.messages.at(-1)).toMatchObject({ text: BEFORE, partial: true });
    expect(view.progress.question).toBe(1);
  });

  test('stops before the first word: no message, and the stream says aborted', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next({ kind: 'silent' });
    const stream = await submit(candidate, [said('m1', 'Rye.')]);
    await candidate.waitFor(({ replying }) => replying);
    await app.model.request(app.model.requests.length);

    const stop = await candidate.post('stop');

    expect(stop.status).toBe(202);
    expect(await chunksOf(stream)).toEqual([{ type: 'abort' }]);
  });

  test('stops nothing when nothing runs', async () => {
    const candidate = await TestCandidate.begin(app);

    const stop = await fetch(`${app.url}/api/chat/c/stop`, {
      method: 'POST',
      headers: candidate.headers,
    });

    expect(stop.status).toBe(202);
  });

  test('keeps the reply to an earlier answer with the request that waits for it', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next({ kind: 'status', status: 503 });
    const first = await submit(candidate, [said('m1', 'Rye.')]);
    await candidate.waitFor(({ replying }) => replying);

    const second = await submit(candidate, [said('m1', 'Rye.'), said('m2', 'Wheat.')]);
    const [one, two] = await Promise.all([messageOf(first), messageOf(second)]);

    const view = await candidate.view();
    const replies = view.messages.filter(({ role }) => role === 'assistant').slice(-2);
    expect([one?.id, two?.id]).toEqual(replies.map(({ id }) => id));
  });

  test('streams the notice when a candidate ends the interview while a request waits', async () => {
    const candidate = await TestCandidate.begin(app);
    const stream = await submit(candidate, [said('m1', 'Rye.')]);

    await candidate.post('withdraw');

    const message = await messageOf(stream);
    expect(textOf(message)).toBe((await candidate.view()).messages.at(-1)?.text);
  });
});

function readAll(response: Response): {
  until(text: string): Promise<string>;
  rest(): Promise<string>;
} {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let all = '';
  const read = async (isEnough: () => boolean): Promise<string> => {
    while (!isEnough()) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return all;
      all += decoder.decode(chunk.value as Uint8Array, { stream: true });
    }
    return all;
  };
  return {
    until: (text) => read(() => all.includes(text)),
    rest: () => read(() => false),
  };
}

function readUntil(response: Response, text: string): Promise<string> {
  return readAll(response).until(text);
}
