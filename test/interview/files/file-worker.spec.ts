import type { FetchedMedia } from '../../../src/channels';
import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { AppendedMessage } from '../../../src/buffer';
import { textsOf } from '../../../src/interview/texts/texts';
import { PDF, docx } from '../../support/sent-files';
import { ENCRYPTED_PDFS } from './encrypted-pdfs';
import { VoiceMessages } from '../voice/voice-messages';
import { LEASE_MS, work, settled, live } from '../interviews';
import { type Interviewee, newCandidate } from '../interviewee';
import { FileService } from '../../../src/interview';
import { untilInProcess } from '../../support/until';

const EN = textsOf('en');
let setup: VoiceMessages;

beforeAll(async () => {
  setup = await VoiceMessages.open();
});

afterAll(() => setup.close());

interface StoredFile {
  readonly state: string;
  readonly problem: string | null;
  readonly bytes: Buffer | null;
  readonly job: string;
  readonly failures: number;
  readonly claims: number;
}

function filesOf(candidate: Interviewee): Promise<StoredFile[]> {
  return setup.app.sql<StoredFile>(
    `select f.state, f.problem, f.bytes, t.state as job, t.failures, t.claim_no as claims
     from file f join message m on m.id = f.message_id
     join job t on t.queue = 'fetch-file' and t.key = m.id::text
     where m.conversation_id = $1 order by m.seq`,
    [candidate.id],
  );
}

function send(
  candidate: Interviewee,
  reference = 'file-1',
  externalId: string = randomUUID(),
): Promise<AppendedMessage> {
  const { app } = setup;
  return app.commit((tx) =>
    app.get(FileService).receive(tx, {
      conversationId: candidate.id,
      channel: 'telegram',
      externalId,
      name: 'cv.pdf',
      content: { kind: 'reference', reference, sizeBytes: PDF.length },
    }),
  );
}

function content(bytes: Buffer): FetchedMedia {
  return { kind: 'bytes', bytes, mimeType: null, fileName: null };
}

test('a file moves the interview to its channel, and the same file sent again does not', async () => {
  const candidate = await newCandidate(setup.app);
  const channel = async (): Promise<unknown> => {
    const [row] = await setup.app.sql<{ channel: string }>(
      'select channel from conversation where id = $1',
      [candidate.id],
    );
    return row?.channel;
  };
  setup.next(content(PDF));

  await send(candidate, 'file-1', 'cv');
  expect(await channel()).toBe('telegram');
  await setup.app.sql(`update conversation set channel = 'web' where id = $1`, [candidate.id]);
  expect(await send(candidate, 'file-1', 'cv')).toMatchObject({ isNew: false });

  expect(await channel()).toBe('web');
  await work(setup.app);
});

test('another process stores the file once after a crash during the fetch', async () => {
  const other = await setup.another();
  const candidate = await newCandidate(setup.app);
  const before = setup.fetched.length;
  setup.next(new Promise<never>(() => undefined), content(PDF));
  await send(candidate);
  await setup.app.worker.tick();
  await untilInProcess('the fetch has begun', () => setup.fetched.length > before);

  setup.app.clock.advance(LEASE_MS);
  await work(other);
  // The first process continues, and stores nothing a second time.
  setup.app.clock.advance(60_000);
  await work(setup.app);

  expect(setup.fetched.length - before).toBe(2);
  expect(await filesOf(candidate)).toEqual([
    { state: 'kept', problem: null, bytes: PDF, job: 'done', failures: 0, claims: 2 },
  ]);
});

test('asks for the file again and shows it to a person when every fetch fails', async () => {
  const candidate = await newCandidate(setup.app);
  const broken = Array.from({ length: 5 }, () => Promise.reject(new Error('a bug of the channel')));
  for (const fate of broken) fate.catch(() => undefined);
  setup.next(...broken);
  await send(candidate);
  await live(setup.app, 120_000, 2000);

  expect(await filesOf(candidate)).toMatchObject([
    { state: 'refused', problem: 'failed', bytes: null, job: 'dead', failures: 5 },
  ]);
  expect(await candidate.notices()).toContain(EN.fileLost('cv.pdf'));
  expect(await candidate.attention()).toContainEqual(
    expect.objectContaining({ kind: 'unanalysed', closed: false }),
  );
});

test.each([
  ['larger than announced', Buffer.alloc(20 * 1024 * 1024 + 1, PDF), 'too_large'],
  ['nothing', Buffer.alloc(0), 'type'],
  ['a page', Buffer.from('<html><script>alert(1)</script></html>'), 'type'],
])('stores no bytes of a file that turns out to be %s', async (_, bytes, problem) => {
  const candidate = await newCandidate(setup.app);
  setup.next(content(bytes));
  await send(candidate);
  await work(setup.app);

  expect(await filesOf(candidate)).toMatchObject([{ state: 'refused', problem, bytes: null }]);
});

test.each(['en', 'ru'] as const)(
  'keeps a PDF that needs a password, and says so (%s)',
  async (language) => {
    const candidate = await newCandidate(setup.app);
    await setup.app.sql('update conversation set language = $2 where id = $1', [
      candidate.id,
      language,
    ]);
    const locked = Buffer.from(ENCRYPTED_PDFS.lockedAes256, 'base64');
    setup.next(content(locked));
    await send(candidate);
    await work(setup.app);

    expect(await filesOf(candidate)).toMatchObject([{ state: 'kept', bytes: locked }]);
    const rows = await setup.app.sql(
      `select f.needs_password as "isLocked" from file f join message m on m.id = f.message_id
       where m.conversation_id = $1`,
      [candidate.id],
    );
    expect(rows).toEqual([{ isLocked: true }]);
    expect(await candidate.notices()).toContain(textsOf(language).fileLocked('cv.pdf'));
  },
);

test('says what is wrong with a Word document that has macros', async () => {
  const candidate = await newCandidate(setup.app);
  setup.next(content(docx({ 'word/vbaProject.bin': 'macros' })));
  await send(candidate);
  await work(setup.app);

  expect(await filesOf(candidate)).toMatchObject([{ state: 'refused', problem: 'word_format' }]);
  expect(await candidate.notices()).toContain(EN.fileOfOtherWord('cv.pdf'));
});

test('holds no connection during a fetch (I6)', async () => {
  const { app } = setup;
  const candidate = await newCandidate(setup.app);
  const pool = app.get(DataSource).driver as unknown as {
    master: { totalCount: number; idleCount: number };
  };
  const before = setup.fetched.length;
  let arrive: (fetched: FetchedMedia) => void = () => undefined;
  setup.next(new Promise<FetchedMedia>((resolve) => (arrive = resolve)));
  await send(candidate);
  await app.worker.tick();
  await untilInProcess('the fetch has begun', () => setup.fetched.length > before);

  // Other work of that pass may still release its connection.
  await untilInProcess(
    'no connection is in use',
    () => pool.master.totalCount === pool.master.idleCount,
  );
  expect(setup.fetched).toHaveLength(before + 1);
  arrive(content(PDF));
  await settled(app);
  expect(await filesOf(candidate)).toMatchObject([{ state: 'kept' }]);
});
