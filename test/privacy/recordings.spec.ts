import type { PersonalDataExport } from '../../src/privacy';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { FakeClock } from '../../tools/support/fake-clock';
import { PDF } from '../support/sent-files';

const MB = 1024 * 1024;

/** The export holds the voice messages of a candidate. */
describe('recordings in an export', () => {
  const clock = new FakeClock();
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ clock, isWorking: false });
  });

  afterAll(() => app.close());

  async function voicesOf(candidate: TestCandidate) {
    const response = await candidate.get('/api/v1/conversation/mydata');
    const { conversations } = (await response.json()) as PersonalDataExport;
    const lines = conversations.flatMap(({ transcript }) => transcript);
    return lines.flatMap(({ voice }) => (voice === null ? [] : [voice]));
  }

  /** A recording whose bytes differ from all others. */
  async function records(candidate: TestCandidate, sizes: readonly number[]): Promise<Buffer[]> {
    const sent: Buffer[] = [];
    for (const [index, size] of sizes.entries()) {
      const audio = Buffer.alloc(size, index + 1);
      const { status } = await candidate.speak(`voice-${String(index)}`, new Uint8Array(audio));
      expect(status).toBe(202);
      clock.advance(1000);
      sent.push(audio);
    }
    return sent;
  }

  test('are unchanged, each in its own line', async () => {
    const candidate = await TestCandidate.begin(app);
    const sent = await records(candidate, [70_001, 5]);

    const voices = await voicesOf(candidate);

    const got = voices.map(({ recording }) => Buffer.from(recording ?? '', 'base64'));
    expect(got.map((bytes, index) => bytes.equals(sent[index] ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
    ]);
    expect(voices.map(({ type, bytes }) => ({ type, bytes }))).toEqual([
      { type: 'audio/webm', bytes: 70_001 },
      { type: 'audio/webm', bytes: 5 },
    ]);
  });

  test('beyond 10 MB in all are listed without audio, and the notes say who has it', async () => {
    const candidate = await TestCandidate.begin(app);
    await records(candidate, [6 * MB, 5 * MB, 3 * MB, MB, 1]);

    const voices = await voicesOf(candidate);

    const sizes = voices.map(({ recording }) =>
      recording === null ? null : Buffer.from(recording, 'base64').length,
    );
    expect(sizes).toEqual([6 * MB, null, 3 * MB, MB, null]);
    expect(voices.map(({ bytes }) => bytes)).toEqual([6 * MB, 5 * MB, 3 * MB, MB, 1]);
    const response = await candidate.get('/api/v1/conversation/mydata');
    const { notes } = (await response.json()) as PersonalDataExport;
    expect(notes.recording).toContain('10 MB');
  });

  test('share the 10 MB with files, the oldest first', async () => {
    const candidate = await TestCandidate.begin(app);
    await records(candidate, [6 * MB]);
    const files = [Buffer.alloc(5 * MB, PDF), Buffer.alloc(3 * MB, PDF), PDF];
    for (const [index, bytes] of files.entries()) {
      expect((await candidate.attach(`file-${String(index)}`, bytes)).status).toBe(202);
      clock.advance(1000);
    }

    const response = await candidate.get('/api/v1/conversation/mydata');

    const { conversations } = (await response.json()) as PersonalDataExport;
    const sent = conversations.flatMap(({ transcript }) =>
      transcript.flatMap(({ file }) => (file === null ? [] : [file])),
    );
    expect(sent.map(({ bytes, state }) => [bytes, state])).toEqual(
      files.map(({ length }) => [length, 'kept']),
    );
    const contents = sent.map(({ content }) =>
      content === null ? null : Buffer.from(content, 'base64'),
    );
    expect(contents[0]).toBeNull();
    expect(contents[1]?.equals(files[1] ?? PDF)).toBe(true);
    expect(contents[2]?.equals(PDF)).toBe(true);
  });

  test('that never arrived are listed too', async () => {
    const candidate = await TestCandidate.begin(app);
    await records(candidate, [4]);
    await app.commit((tx) =>
      tx.query(
        `update voice set bytes = null, state = 'announced', source = 'file-1'
         where message_id in (select id from message where conversation_id = $1)`,
        [candidate.conversationId],
      ),
    );

    expect(await voicesOf(candidate)).toMatchObject([{ bytes: 4, recording: null }]);
  });

  test('of other people are not in it', async () => {
    const [ada, bob] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    await records(bob, [9]);

    expect(await voicesOf(ada)).toEqual([]);
  });
});
