import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROMPT_ID } from '../../src/interview/prompts/instructions';
import { PersonalDataService } from '../../src/privacy';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { ModelServer } from '../../tools/fake-model/model-server';
import { ADMIN_TOKEN as ADMIN } from '../support/secrets';

const UNKNOWN = '01a20000-0000-7000-8000-000000000000';

describe('the transcript of an interview', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-console-'));
  let model: ModelServer;
  let app: TestApp;

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>Page</title>');
    writeFileSync(path.join(folder, 'team.html'), '<!doctype html><title>Console</title>');
    model = await ModelServer.start();
    app = await startTestApp({
      pageDirectory: folder,
      env: {
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_TRANSCRIPTION_MODEL: 'w-1',
        ADMIN_TOKEN: ADMIN,
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await model.close();
    rmSync(folder, { recursive: true });
  });

  function read(id: string, token = ADMIN): Promise<Response> {
    return readAt(`${id}/transcript`, token);
  }

  function readAt(path: string, token = ADMIN): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${app.url}/api/v1/admin/conversations/${path}`, { headers });
  }

  test('shows the candidate, the vacancy, the progress, and every line in order', async () => {
    const candidate = await TestCandidate.begin(app);
    await candidate.answer('a', 'Rye, this morning.');

    const response = await read(candidate.conversationId);

    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const transcript = (await response.json()) as { lines: { seq: number; text: string }[] };
    expect(transcript).toMatchObject({
      conversationId: candidate.conversationId,
      language: 'en',
      company: 'Crumb',
      vacancy: 'Baker',
      candidate: { name: 'Ada', contact: 'ada@example.org' },
      status: 'active',
      completedAt: null,
      coverage: { counted: 'must-ask', of: 2, asked: 1, answered: 1 },
    });
    expect(transcript.lines.map(({ seq }) => seq)).toEqual([1, 2, 3, 5]);
    expect(transcript.lines[2]).toMatchObject({
      role: 'user',
      channel: 'web',
      text: 'Rye, this morning.',
      editedAt: null,
      amendsSeq: null,
      isFromPerson: false,
      isPartial: false,
      attachment: null,
      voice: null,
      label: { name: 'answer', question: 1, corrects: null, touches: [] },
      origin: null,
      touchedIn: null,
    });
    expect(transcript.lines[3]).toMatchObject({ label: null, origin: { prompt: PROMPT_ID } });
  });

  test('shows the transcript of a voice message, and which line a correction is for', async () => {
    const candidate = await TestCandidate.begin(app);
    const sound = new TextEncoder().encode('some sound');
    const spoken = await candidate.speak('v1', sound, 'audio/ogg');
    const { messageId } = (await spoken.json()) as { messageId: string };
    await candidate.waitFor(({ interviewStep, replying }) => interviewStep === 1 && !replying);
    const words = { text: 'I know bread and rye.' };
    const corrected = await candidate.post(`messages/${messageId}/correction`, words);

    const transcript = (await (await read(candidate.conversationId)).json()) as {
      lines: { id: string; text: string; amendsSeq: number | null; voice: unknown }[];
    };

    expect(corrected.status).toBeLessThan(300);
    expect(transcript.lines.find(({ id }) => id === messageId)).toMatchObject({
      text: 'I know bread.',
      voice: { durationS: null, hasAudio: true },
    });
    expect(transcript.lines.find(({ amendsSeq }) => amendsSeq === 3)?.text).toBe(
      'I know bread and rye.',
    );
  });

  /** Stores lines of the candidate as if each had been sent. */
  async function say(conversationId: string, count: number, chars = 10): Promise<void> {
    await app.commit((tx) =>
      tx.query(
        `with numbered as (
           update conversation set last_seq = last_seq + $2 where id = $1 returning last_seq)
         insert into message (id, conversation_id, seq, role, channel, external_id, text,
           received_at, cleared_at)
         select gen_random_uuid(), $1, last_seq - $2 + n, 'user', 'web', gen_random_uuid()::text,
           rpad('said ' || n, $3, '.'), now(), now()
         from numbered, generate_series(1, $2::int) n`,
        [conversationId, count, chars],
      ),
    );
  }

  interface Page {
    readonly lines: readonly { id: string; number: number; text: string }[];
    readonly olderCursor: number | null;
  }

  async function pagesOf(id: string): Promise<Page[]> {
    const pages: Page[] = [];
    for (let cursor: number | null | undefined; cursor !== null;) {
      const query = cursor === undefined ? '' : `?before=${String(cursor)}`;
      const response = await readAt(`${id}/transcript${query}`);
      expect(response.status).toBe(200);
      const page = (await response.json()) as Page;
      pages.unshift(page);
      cursor = page.olderCursor;
    }
    return pages;
  }

  test('of thousands of lines comes in pages of 100, the newest first, each line once', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    await say(conversationId, 3000);

    const pages = await pagesOf(conversationId);

    expect(Math.max(...pages.map(({ lines }) => lines.length))).toBe(100);
    expect(pages.at(-1)?.lines.at(-1)?.text).toBe('said 3000.');
    const lines = pages.flatMap((page) => page.lines);
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.filter(({ text }) => text.startsWith('said'))).toHaveLength(3000);
  });

  test('holds 64,000 characters on a page', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    await say(conversationId, 9, 16_000);

    const pages = await pagesOf(conversationId);

    expect(pages.map(({ lines }) => lines.length)).toEqual([3, 4, 4]);
  });

  test('has a list of voices in pages too', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    await say(conversationId, 250);
    await app.commit((tx) =>
      tx.query(
        `insert into voice (message_id, state, mime_type, size_bytes, bytes)
         select id, 'kept', 'audio/ogg', 1, 'x' from message
         where conversation_id = $1 and text like 'said%'`,
        [conversationId],
      ),
    );
    const pages: { items: { messageId: string }[]; olderCursor: number | null }[] = [];

    for (let cursor: number | null | undefined; cursor !== null;) {
      const query = cursor === undefined ? '' : `?before=${String(cursor)}`;
      const response = await readAt(`${conversationId}/voices${query}`);
      expect(response.status).toBe(200);
      const page = (await response.json()) as (typeof pages)[number];
      pages.unshift(page);
      cursor = page.olderCursor;
    }

    expect(pages.map(({ items }) => items.length)).toEqual([50, 100, 100]);
    const ids = pages.flatMap(({ items }) => items.map(({ messageId }) => messageId));
    const lines = (await pagesOf(conversationId)).flatMap((page) => page.lines);
    const spoken = lines.filter(({ text }) => text.startsWith('said'));
    expect(ids).toEqual(spoken.map(({ id }) => id));
  });

  test('refuses an invalid cursor', async () => {
    const { conversationId } = await TestCandidate.begin(app);

    const responses = [
      await readAt(`${conversationId}/transcript?before=x`),
      await readAt(`${conversationId}/voices?before=0`),
    ];

    expect(responses.map(({ status }) => status)).toEqual([422, 422]);
  });

  test.each([
    ['another token', UNKNOWN, 'wrong', 401, 'admin_token_wrong'],
    ['an interview that is not there', UNKNOWN, ADMIN, 404, 'conversation_unknown'],
    ['what is no id', 'no-id', ADMIN, 404, 'conversation_unknown'],
  ])('is refused for %s', async (_what, id, token, status, code) => {
    const response = await read(id, token);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  test('is deleted by an erasure', async () => {
    const candidate = await TestCandidate.begin(app);
    await app.commit(async (tx) => {
      const personal = app.get(PersonalDataService);
      const owner = await personal.findOwner(tx, candidate.conversationId);
      await personal.erase(tx, owner ?? '');
    });

    const response = await read(candidate.conversationId);

    expect(await response.json()).toMatchObject({ code: 'conversation_unknown' });
  });

  test('is read on a page that is not cached, not indexed and sends no referrer', async () => {
    const response = await fetch(`${app.url}/console/transcripts/${UNKNOWN}`);

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Console</title>');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toContain("media-src 'self' blob:");
  });
});
