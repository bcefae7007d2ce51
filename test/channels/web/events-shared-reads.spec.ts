import { Client } from 'pg';
import { ConversationReader } from '../../../src/interview';
import { LiveReplies } from '../../../src/streams';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { rowsOf } from '../../support/outside';
import { EventSourceReader } from './event-source';

const CANDIDATES = 12;
const READERS_EACH = 5;
const LABEL = 'colloquy_uow_commits_total{label="conversation.read",outcome="committed"}';

describe('readers of events that are woken at once', () => {
  let app: TestApp;
  let reader: ConversationReader;
  const candidates: TestCandidate[] = [];
  const readers: EventSourceReader[] = [];

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
    // Readers are woken once after each connection for notices, also after the first one.
    await app.stopSweeps();
    reader = app.get(ConversationReader);
    for (let n = 0; n < CANDIDATES; n += 1) candidates.push(await TestCandidate.begin(app));
  });

  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  afterAll(() => app.close());

  async function read(candidate: TestCandidate): Promise<void> {
    const url = `${app.url}/api/v1/conversation/events`;
    const opened = await EventSourceReader.open(url, candidate.headers);
    readers.push(await opened.until(({ names }) => names.includes('hello')));
  }

  async function commits(): Promise<number> {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const line = metrics.split('\n').find((one) => one.startsWith(LABEL));
    return Number(line?.split(' ').at(-1) ?? 0);
  }

  /** Stores a line of the system in every conversation, in a commit without a signal. */
  function tellAll(text: string): Promise<unknown> {
    return rowsOf(
      app.databaseUrl,
      `with numbered as (update conversation set last_seq = last_seq + 1 returning id, last_seq)
       insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       select gen_random_uuid(), id, last_seq, 'system', 'code', $1, id::text, now() from numbered`,
      [text],
    );
  }

  function pair(): [string, string] {
    const [one, other] = candidates;
    if (one === undefined || other === undefined) throw new Error('no candidates');
    return [one.conversationId, other.conversationId];
  }

  /** A read stops in the middle: it has read the conversation, and not yet its buffer. */
  async function whileJobsAreLocked(work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query('begin; lock table job in access exclusive mode');
    await work();
    await client.end();
  }

  test('share a commit, and each gets what is new in its own conversation', async () => {
    for (const candidate of candidates) {
      for (let n = 0; n < READERS_EACH; n += 1) await read(candidate);
    }
    await tellAll('news');
    const before = await commits();

    const live = app.get(LiveReplies);
    for (const { conversationId } of candidates) live.changed(conversationId);
    for (const reader of readers) await reader.until((told) => told.of('message').length > 0);

    expect((await commits()) - before).toBe(1);
    for (const reader of readers) {
      const { conversationId } = reader.of('hello')[0]?.data ?? {};
      expect(reader.of('message').map(({ data }) => data.text)).toEqual([conversationId]);
    }
  });

  test('are not served by a read that had begun before they were woken', async () => {
    const [id] = pair();
    const asked: ReturnType<ConversationReader['readShared']>[] = [];
    await whileJobsAreLocked(async () => {
      asked.push(reader.readShared(id, null));
      await app.untilLockWait();
      await rowsOf(app.databaseUrl, 'update conversation set interview_step = 7 where id = $1', [
        id,
      ]);
      asked.push(reader.readShared(id, null));
    });

    const seen = (await Promise.all(asked)).map(({ snapshot }) => snapshot.interviewStep);

    expect(seen).toEqual([0, 7]);
  });

  test('are read also when one conversation cannot be read', async () => {
    const [broken, sound] = pair();
    const unknown = '00000000-0000-7000-8000-000000000000';
    await rowsOf(app.databaseUrl, `update conversation set state = '{}' where id = $1`, [broken]);

    const reads = await Promise.allSettled(
      [broken, sound, unknown].map((id) => reader.readShared(id, 0)),
    );

    expect(reads.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  });
});
