import { randomUUID } from 'node:crypto';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../../support/app';
import { type Line, TestCandidate } from '../../support/candidate';

interface Page {
  readonly messages: readonly Line[];
  readonly olderCursor: number | null;
}

const LIMITS = {
  INTERVIEW_MAX_MESSAGES: '400',
  INTERVIEW_MAX_CHARS: '300000',
  INTERVIEW_MAX_AUDIO_BYTES: '1500',
};

describe('a transcript', () => {
  let app: TestApp;

  beforeAll(async () => {
    // No worker replies: only what was sent is stored.
    app = await startTestApp({ env: LIMITS, clock: new FakeClock(), isWorking: false });
  });

  afterAll(() => app.close());

  /** Stores lines of the candidate as if each had been sent. */
  async function say(candidate: TestCandidate, texts: readonly string[]): Promise<void> {
    await app.commit(async (tx) => {
      const [row] = await tx.query<{ last_seq: number }>(
        `update conversation set last_seq = last_seq + $2 where id = $1 returning last_seq`,
        [candidate.conversationId, texts.length],
      );
      const first = (row?.last_seq ?? 0) - texts.length + 1;
      await tx.query(
        `insert into message (id, conversation_id, seq, role, channel, external_id, text,
           received_at, cleared_at)
         select gen_random_uuid(), $1, $2::int + n::int - 1, 'user', 'web',
           gen_random_uuid()::text, text, now(), now()
         from unnest($3::text[]) with ordinality as t (text, n)`,
        [candidate.conversationId, first, texts],
      );
    });
  }

  async function pageOf(candidate: TestCandidate, query = ''): Promise<Page> {
    const response = await candidate.get(`/api/v1/conversation/messages${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Page;
  }

  async function newest(candidate: TestCandidate): Promise<Page> {
    return (await candidate.view()) as unknown as Page;
  }

  async function wholeOf(candidate: TestCandidate, limit = ''): Promise<Page[]> {
    const pages = [await pageOf(candidate, limit === '' ? '' : `?${limit}`)];
    for (let cursor = pages[0]?.olderCursor ?? null; cursor !== null;) {
      const page = await pageOf(candidate, `?before=${String(cursor)}&${limit}`);
      pages.unshift(page);
      cursor = page.olderCursor;
    }
    return pages;
  }

  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => `answer ${String(n + 1)}`);
  const textsIn = (pages: readonly Page[]): string[] =>
    pages.flatMap(({ messages }) => messages.map(({ text }) => text));

  test('that fits on a page is complete, and has no older page', async () => {
    const candidate = await TestCandidate.begin(app);
    await say(candidate, numbered(3));

    const page = await newest(candidate);

    expect(page.olderCursor).toBeNull();
    expect(page.messages.slice(-3).map(({ text }) => text)).toEqual(numbered(3));
    expect(await pageOf(candidate)).toEqual({
      messages: page.messages,
      olderCursor: page.olderCursor,
    });
  });

  test('shows its newest 100 messages, and each older one once, in order', async () => {
    const candidate = await TestCandidate.begin(app);
    const opening = (await newest(candidate)).messages.map(({ text }) => text);
    await say(candidate, numbered(250));

    const page = await newest(candidate);
    const pages = await wholeOf(candidate);

    expect(page.messages).toHaveLength(100);
    expect(page.olderCursor).toBe(page.messages[0]?.seq);
    expect(page.messages.at(-1)?.text).toBe('answer 250');
    expect(pages.map(({ messages }) => messages.length)).toEqual([52, 100, 100]);
    expect(textsIn(pages)).toEqual([...opening, ...numbered(250)]);
  });

  test('holds 64,000 characters on a page, whatever its messages are', async () => {
    const candidate = await TestCandidate.begin(app);
    await say(
      candidate,
      Array.from({ length: 9 }, () => 'ж'.repeat(16_000)),
    );

    const pages = await wholeOf(candidate);

    expect(pages.map(({ messages }) => messages.length)).toEqual([3, 4, 4]);
    expect(textsIn(pages).filter((text) => text.startsWith('ж'))).toHaveLength(9);
  });

  test('shows a message that is larger than a page by itself', async () => {
    const candidate = await TestCandidate.begin(app);
    await say(candidate, ['before', 'x'.repeat(70_000), 'after']);

    const pages = await wholeOf(candidate);

    expect(pages.map(({ messages }) => messages.length)).toEqual([3, 1, 1]);
  });

  test('comes in pages as small as a client asks for, and not larger than they may be', async () => {
    const candidate = await TestCandidate.begin(app);
    await say(candidate, numbered(20));

    const pages = await wholeOf(candidate, 'limit=7');

    expect(pages.map(({ messages }) => messages.length)).toEqual([1, 7, 7, 7]);
    for (const query of ['limit=101', 'limit=0', 'before=0', 'before=-1', 'before=x', 'limit=']) {
      const refused = await candidate.get(`/api/v1/conversation/messages?${query}`);
      expect({ query, status: refused.status }).toEqual({ query, status: 422 });
    }
  });

  test('is documented: the page, its cursor and how to ask for more', async () => {
    const response = await fetch(`${app.url}/docs/openapi.json`);
    const document = (await response.json()) as {
      paths: Record<string, { get: { parameters: { name: string }[]; responses: object } }>;
    };

    const { parameters, responses } = document.paths['/api/v1/conversation/messages']?.get ?? {};

    expect(parameters?.map(({ name }) => name)).toEqual(['before', 'limit']);
    expect(JSON.stringify(responses)).toContain('TranscriptPageDto');
    expect(JSON.stringify(document)).toContain('olderCursor');
  });

  test('of another candidate cannot be read', async () => {
    const [one, other] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    await say(one, ['mine alone']);

    expect(textsIn(await wholeOf(other))).not.toContain('mine alone');
    const nobody = await fetch(`${app.url}/api/v1/conversation/messages`);
    expect(nobody.status).toBe(401);
  });

  describe('at its limits', () => {
    const refusalOf = async (response: Response): Promise<unknown> => {
      const { status, code } = (await response.json()) as { status: number; code: string };
      return { status, code, type: response.headers.get('content-type')?.split(';')[0] };
    };

    async function chat(candidate: TestCandidate, texts: readonly string[]): Promise<Response> {
      const messages = texts.map((text) => ({
        id: randomUUID(),
        role: 'user',
        parts: [{ type: 'text', text }],
      }));
      const leave = new AbortController();
      const response = await fetch(`${app.url}/api/chat`, {
        method: 'POST',
        headers: candidate.headers,
        body: JSON.stringify({ id: candidate.conversationId, messages }),
        signal: leave.signal,
      });
      if (response.ok) leave.abort();
      return response;
    }

    test('refuses a message with a stable problem code and keeps what is stored', async () => {
      const candidate = await TestCandidate.begin(app);
      for (let n = 0; n < 18; n += 1) await candidate.send(`m${String(n)}`, 'x'.repeat(16_000));
      const before = textsIn(await wholeOf(candidate));

      const refused = await candidate.send('too much', 'y'.repeat(16_000));

      expect(await refusalOf(refused)).toEqual({
        status: 409,
        code: 'conversation_full',
        type: 'application/problem+json',
      });
      expect(textsIn(await wholeOf(candidate))).toEqual(before);
      expect((await candidate.send('m0', 'x'.repeat(16_000))).status).toBe(202);
      expect((await candidate.send('short', 'still fits')).status).toBe(202);
    });

    test('accepts at most 64,000 characters in one chat request, all of them or none', async () => {
      const candidate = await TestCandidate.begin(app);
      const before = textsIn(await wholeOf(candidate));
      const longest = 'x'.repeat(16_000);

      const refused = await chat(candidate, [longest, longest, longest, longest, 'y']);

      expect(await refusalOf(refused)).toMatchObject({ status: 422, code: 'too_much_text' });
      expect(textsIn(await wholeOf(candidate))).toEqual(before);
      expect((await chat(candidate, [longest, longest, longest, longest])).status).toBe(200);
    });

    test('refuses a chat request that would cross a limit as a whole', async () => {
      const candidate = await TestCandidate.begin(app);
      for (let n = 0; n < 17; n += 1) await candidate.send(`m${String(n)}`, 'x'.repeat(16_000));
      const before = textsIn(await wholeOf(candidate));

      const refused = await chat(candidate, ['a'.repeat(16_000), 'b'.repeat(16_000)]);

      expect(await refusalOf(refused)).toMatchObject({ status: 409, code: 'conversation_full' });
      expect(textsIn(await wholeOf(candidate))).toEqual(before);
    });

    test('refuses a voice with its own problem code, and still accepts text', async () => {
      const candidate = await TestCandidate.begin(app);
      const audio = new Uint8Array(1000).fill(1);
      expect((await candidate.speak('v1', audio)).status).toBe(202);

      const refused = await candidate.speak('v2', audio);

      expect(await refusalOf(refused)).toMatchObject({ status: 409, code: 'audio_full' });
      expect((await candidate.speak('v1', audio)).status).toBe(202);
      expect((await candidate.send('m1', 'in words')).status).toBe(202);
    });
  });
});
