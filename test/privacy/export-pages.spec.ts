import { request, type IncomingMessage } from 'node:http';
import { type PageCommit, PersonalDataService, type PersonalDataExport } from '../../src/privacy';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { FakeClock } from '../../tools/support/fake-clock';

/** Messages that one statement stores. */
const BATCH = 200;

/** An export of thousands of messages is read page by page, as fast as its reader reads. */
describe('an export of a long conversation', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ clock: new FakeClock(), isWorking: false });
  });

  afterAll(() => app.close());

  async function talkative(count: number, chars: number): Promise<TestCandidate> {
    const candidate = await TestCandidate.begin(app);
    for (let from = 0; from < count; from += BATCH) {
      await app.commit((tx) =>
        tx.query(
          `with numbered as (
             update conversation set last_seq = last_seq + $3 where id = $1 returning last_seq)
           insert into message (id, conversation_id, seq, role, channel, external_id, text,
             received_at, cleared_at)
           select gen_random_uuid(), $1, last_seq - $3 + n, 'user', 'web',
             gen_random_uuid()::text, rpad('said ' || $2::int + n, $4, '.'), now(), now()
           from numbered, generate_series(1, $3::int) n`,
          [candidate.conversationId, from, BATCH, chars],
        ),
      );
    }
    await app.commit((tx) =>
      tx.query(
        `insert into web_session (token_hash, conversation_id, created_at)
         select $1::uuid || '-' || n, $1::uuid, '2026-01-01 10:00:00.123456Z' from generate_series(1, 250) n`,
        [candidate.conversationId],
      ),
    );
    return candidate;
  }

  async function exported(candidate: TestCandidate) {
    const personal = app.get(PersonalDataService);
    const commits: string[] = [];
    const rows: number[] = [];
    const commit: PageCommit = (label, work) => {
      commits.push(label);
      return app.commit((tx) =>
        work(
          Object.assign(Object.create(tx) as typeof tx, {
            query: async (text: string, values?: readonly unknown[]) => {
              const found = await tx.query(text, values);
              rows.push(found.length);
              return found;
            },
          }),
        ),
      );
    };
    const owner = await app.commit((tx) => personal.findOwner(tx, candidate.conversationId));
    const { pieces } = await personal.exportOf(commit, owner ?? '');
    return { pieces, commits, rows };
  }

  function erase(candidate: TestCandidate): Promise<Response> {
    return candidate.post('forget', { confirm: 'erase' });
  }

  test('holds every message once, in order, and is read 100 rows at a time', async () => {
    const candidate = await talkative(3000, 20);
    const { pieces, rows } = await exported(candidate);

    let json = '';
    for await (const piece of pieces) json += piece;

    const [conversation] = (JSON.parse(json) as PersonalDataExport).conversations;
    const said = conversation?.transcript.filter(({ text }) => text.startsWith('said'));
    expect(said?.map(({ text }) => Number(/\d+/.exec(text)?.[0]))).toEqual(
      Array.from({ length: 3000 }, (_, n) => n + 1),
    );
    expect(conversation?.sessions).toHaveLength(251);
    expect(Math.max(...rows)).toBe(100);
    expect(rows.filter((count) => count === 100).length).toBeGreaterThanOrEqual(32);
  });

  test('reads no page before it is asked for', async () => {
    const { pieces, commits } = await exported(await talkative(3000, 20));
    let transcript = 0;

    while (transcript < 150) {
      const { value } = await pieces.next();
      if (value?.includes('"said ') === true) transcript += 1;
    }

    // The head, the facts, and two pages of the transcript.
    expect(commits).toHaveLength(4);
    await pieces.return();
  });

  test('is downloaded over HTTP unchanged, with the headers of a file', async () => {
    const candidate = await talkative(1000, 2000);

    const response = await candidate.get('/api/v1/conversation/mydata');

    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="my-data.json"/,
    );
    expect(response.headers.get('cache-control')).toMatch(/no-store/);
    expect(response.headers.get('content-length')).toBeNull();
    const { conversations } = (await response.json()) as PersonalDataExport;
    expect(conversations[0]?.transcript.length).toBeGreaterThan(1000);
  });

  test('is cut off and not ended when the person is erased in the middle of it', async () => {
    const candidate = await talkative(1200, 16_000);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${app.url}/api/v1/conversation/mydata`, { headers: candidate.headers });
      sent.on('response', resolve).on('error', reject).end();
    });
    expect(response.statusCode).toBe(200);
    response.pause();

    expect((await erase(candidate)).status).toBe(204);

    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of response) bytes += (chunk as Buffer).length;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
    // The reader read nothing, so no further page was read.
    expect(bytes).toBeLessThan(16_000_000);
    expect((await candidate.get('/api/v1/conversation/mydata')).status).toBe(401);
  });
});
