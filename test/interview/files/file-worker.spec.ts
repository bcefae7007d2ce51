import type { FetchedMedia } from '../../../src/channels';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AppendedMessage } from '../../../src/buffer';
import { textsOf } from '../../../src/interview/texts/texts';
import { PDF } from '../../support/sent-files';
import type { TurnCandidate } from '../turn-candidate';
import { LEASE_MS } from '../turn-fixture';
import { VoiceStage } from '../voice/voice-stage';

const EN = textsOf('en');
let stage: VoiceStage;

beforeAll(async () => {
  stage = await VoiceStage.open();
});

afterAll(() => stage.close());

interface StoredFile {
  readonly state: string;
  readonly problem: string | null;
  readonly bytes: Buffer | null;
  readonly job: string;
  readonly failures: number;
  readonly claims: number;
}

function filesOf(candidate: TurnCandidate): Promise<StoredFile[]> {
  return stage.fixture.sql<StoredFile>(
    `select f.state, f.problem, f.bytes, t.state as job, t.failures, t.claim_no as claims
     from file f join message m on m.id = f.message_id
     join job t on t.queue = 'fetch-file' and t.key = m.id::text
     where m.conversation_id = $1 order by m.seq`,
    [candidate.id],
  );
}

function send(candidate: TurnCandidate, reference = 'file-1'): Promise<AppendedMessage> {
  const { main } = stage.fixture;
  return main.commit((tx) =>
    main.interviews.receiveFile(tx, {
      conversationId: candidate.id,
      channel: 'telegram',
      externalId: randomUUID(),
      name: 'cv.pdf',
      content: { kind: 'reference', reference, sizeBytes: PDF.length },
    }),
  );
}

function content(bytes: Buffer): FetchedMedia {
  return { kind: 'audio', bytes, mimeType: null, fileName: null };
}

test('another process stores the file once after a crash during the fetch', async () => {
  const other = await stage.another();
  const candidate = await stage.fixture.candidate();
  const before = stage.fetched.length;
  stage.next(new Promise<never>(() => undefined), content(PDF));
  await send(candidate);
  await stage.fixture.main.pass();
  while (stage.fetched.length === before) await stage.fixture.aMoment();

  stage.fixture.clock.advance(LEASE_MS);
  await other.work();
  // The first process continues, and stores nothing a second time.
  stage.fixture.clock.advance(60_000);
  await stage.fixture.main.work();

  expect(stage.fetched.length - before).toBe(2);
  expect(await filesOf(candidate)).toEqual([
    { state: 'kept', problem: null, bytes: PDF, job: 'done', failures: 0, claims: 2 },
  ]);
});

test('asks for the file again and shows it to a person when every fetch fails', async () => {
  const candidate = await stage.fixture.candidate();
  const broken = Array.from({ length: 5 }, () => Promise.reject(new Error('a bug of the channel')));
  for (const fate of broken) fate.catch(() => undefined);
  stage.next(...broken);
  await send(candidate);
  await stage.fixture.live(120_000, 2000);

  expect(await filesOf(candidate)).toMatchObject([
    { state: 'refused', problem: 'failed', bytes: null, job: 'dead', failures: 5 },
  ]);
  expect(await candidate.notices()).toContain(EN.fileLost('cv.pdf'));
  expect(await candidate.attention()).toContainEqual(
    expect.objectContaining({ kind: 'unanalysed', closed: false }),
  );
});

test.each([
  ['more bytes than it said', Buffer.alloc(20 * 1024 * 1024 + 1, PDF), 'too_large'],
  ['nothing', Buffer.alloc(0), 'type'],
  ['a page', Buffer.from('<html><script>alert(1)</script></html>'), 'type'],
])('stores no bytes of a file that turns out to be %s', async (_, bytes, problem) => {
  const candidate = await stage.fixture.candidate();
  stage.next(content(bytes));
  await send(candidate);
  await stage.fixture.main.work();

  expect(await filesOf(candidate)).toMatchObject([{ state: 'refused', problem, bytes: null }]);
});

test('holds no connection during a fetch (I6)', async () => {
  const { main } = stage.fixture;
  const candidate = await stage.fixture.candidate();
  const pool = main.get(DataSource).driver as unknown as {
    master: { totalCount: number; idleCount: number };
  };
  const before = stage.fetched.length;
  let arrive: (fetched: FetchedMedia) => void = () => undefined;
  stage.next(new Promise<FetchedMedia>((resolve) => (arrive = resolve)));
  await send(candidate);
  await main.pass();
  while (stage.fetched.length === before) await stage.fixture.aMoment();

  // Other work of that pass may still release its connection.
  while (pool.master.totalCount - pool.master.idleCount > 0) await stage.fixture.aMoment();
  expect(stage.fetched).toHaveLength(before + 1);
  arrive(content(PDF));
  await main.settled();
  expect(await filesOf(candidate)).toMatchObject([{ state: 'kept' }]);
});
