import { DefaultChatTransport } from 'ai';
import { said } from './chat-client';
import { AFTER, BEFORE, STREAMS, heldReply } from './mid-reply';
import { type EventSourceReader, closeReaders, readEvents, watchEvents } from './event-source';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ADMIN_TOKEN } from '../../support/secrets';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startTestApp(STREAMS);
  other = await startReplica(app, { isWorking: false });
});
afterEach(() => {
  closeReaders();
  app.model.release();
});
afterAll(() => app.close());

function forget(candidate: TestCandidate, body: unknown = { confirm: 'erase' }): Promise<Response> {
  return candidate.post('forget', body);
}

async function candidateIdOf({ conversationId }: TestCandidate): Promise<string> {
  const [row] = await app.commit((tx) =>
    tx.query<{ id: string }>('select candidate_id as id from conversation where id = $1', [
      conversationId,
    ]),
  );
  return row?.id ?? '';
}

async function ended(...readers: EventSourceReader[]): Promise<string[]> {
  return Promise.all(readers.map((reader) => reader.ended()));
}

describe('GET mydata', () => {
  test('is an uncached file with what is stored about the candidate', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.answer('m1', 'I bake with rye.');

    const response = await candidate.get('/api/v1/conversation/mydata');

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="my-data.json"/,
    );
    const data = (await response.json()) as { conversations: { transcript: { text: string }[] }[] };
    expect(data).toMatchObject({
      profile: { name: 'Ada', contact: 'ada@example.org' },
      conversations: [{ id: candidate.conversationId, sessions: [{}] }],
    });
    const lines = data.conversations[0]?.transcript.map(({ text }) => text);
    expect(lines).toContain('I bake with rye.');
    expect(lines?.at(-1)).toContain('Thanks.');
  });

  test("is nobody else's", async () => {
    const response = await fetch(`${app.url}/api/v1/conversation/mydata`);

    expect(response.status).toBe(401);
    expect(response.headers.get('content-disposition')).toBeNull();
  });
});

describe('POST forget', () => {
  test.each([
    null,
    [],
    {},
    { confirm: 'yes' },
    { confirm: true },
    { confirm: null },
    { confirm: ['erase'] },
  ])('changes nothing without the word: %j', async (body) => {
    const candidate = await TestCandidate.begin(app);

    const response = await forget(candidate, body);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'not_confirmed' });
    expect((await candidate.get('/api/v1/conversation')).status).toBe(200);
  });

  test('responds 204, deletes the cookie, and ends the session everywhere', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.answer('m1', 'I bake with rye.');

    const response = await forget(candidate);

    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toMatch(/^colloquy_session=; Max-Age=0; Path=\/; /);
    for (const at of [candidate, candidate.at(other)]) {
      expect((await at.get('/api/v1/conversation')).status).toBe(401);
      expect((await forget(at)).status).toBe(401);
      expect((await at.send('m2', 'And with wheat.')).status).toBe(401);
    }
  });

  test('ends the event streams of candidate and recruiter, on each replica', async () => {
    const candidate = await TestCandidate.begin(app);
    const readers = [
      await readEvents(candidate),
      await readEvents(candidate.at(other)),
      await watchEvents(other, candidate),
    ];

    await forget(candidate);

    expect(await ended(...readers)).toEqual(['ended', 'ended', 'ended']);
  });

  test('in the middle of a reply ends it for all readers, on whichever replica it was requested', async () => {
    const candidate = await TestCandidate.begin(app);
    const readers = [await readEvents(candidate), await readEvents(candidate.at(other))];
    app.model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    for (const reader of readers) await reader.until(({ text }) => text === BEFORE);

    const response = await forget(candidate.at(other));
    await ended(...readers);
    app.model.release();

    expect(response.status).toBe(204);
    for (const reader of readers) expect(reader.of('finish')).toEqual([]);
    const left = await app.commit((tx) =>
      tx.query('select 1 from turn where conversation_id = $1', [candidate.conversationId]),
    );
    expect(left).toEqual([]);
  });

  test('ends a client of the AI SDK that waits for a reply, without promising a person', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    await candidate.waitFor(({ replying }) => replying);
    const transport = new DefaultChatTransport({
      api: `${app.url}/api/chat`,
      headers: candidate.headers,
    });
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: candidate.conversationId,
      messageId: undefined,
      messages: [said('m2', 'And wheat.')],
      abortSignal: undefined,
    });

    const resumed = await candidate.get(`/api/chat/${candidate.conversationId}/stream`);

    await forget(candidate);
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    // A reply that broke off is cut; one that has not begun is ended.
    const text = await resumed.text().catch(() => 'cut');
    app.model.release();

    expect(JSON.stringify(chunks) + text).not.toContain('A person will look');
  });

  test('ends a client that resumes for an answer that waits', async () => {
    const slow = await TestCandidate.begin(app);
    await slow.post('activity', { type: 'typing' });
    await slow.send('m1', 'Rye.');
    const resumed = await slow.get(`/api/chat/${slow.conversationId}/stream`);
    expect(resumed.status).toBe(200);

    await forget(slow);

    expect(await resumed.text()).not.toContain('A person will look');
  });
});

describe('POST admin/candidates/:id/erase', () => {
  function erase(id: string, token = ADMIN_TOKEN): Promise<Response> {
    return fetch(`${app.url}/api/v1/admin/candidates/${id}/erase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  }

  test('erases and returns how much; a second time it finds nothing', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate.at(other));
    const id = await candidateIdOf(candidate);

    const first = await erase(id);
    const second = await erase(id);

    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({ isFound: true, conversations: 1, messages: 2 });
    expect(await second.json()).toEqual({ isFound: false, conversations: 0, messages: 0 });
    expect(await ended(reader)).toEqual(['ended']);
    expect((await candidate.get('/api/v1/conversation')).status).toBe(401);
  });

  test("is the recruiter's", async () => {
    const candidate = await TestCandidate.begin(app);

    const response = await erase(await candidateIdOf(candidate), 'guessed');

    expect(response.status).toBe(401);
    expect((await candidate.get('/api/v1/conversation')).status).toBe(200);
  });
});

test('the API documentation has all three', async () => {
  const response = await fetch(`${app.url}/docs/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, object> };
  expect(Object.keys(paths['/api/v1/conversation/mydata'] ?? {})).toEqual(['get']);
  expect(Object.keys(paths['/api/v1/conversation/forget'] ?? {})).toEqual(['post']);
  expect(Object.keys(paths['/api/v1/admin/candidates/{id}/erase'] ?? {})).toEqual(['post']);
});
