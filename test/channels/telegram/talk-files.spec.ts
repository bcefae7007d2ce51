import { textsOf } from '../../../src/interview/texts/texts';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import { DOCX_TYPE, JPG, PDF, PNG, docx, zip } from '../../support/sent-files';
import type { TestApp } from '../../support/app';
import {
  EN,
  RU,
  type Person,
  WINDOW_MS,
  begunPerson,
  takeUpdate,
  withBotAndModel,
} from './telegram-person';

const MB = 1024 * 1024;
const TEXTS = textsOf('en');

interface StoredFile {
  readonly state: string;
  readonly name: string;
  readonly type: string | null;
  readonly problem: string | null;
  readonly bytes: Buffer | null;
}

/** Documents and pictures are kept; audio files and video notes count as voice messages. */
describe('files', () => {
  let app: TestApp;
  let model: ModelServer;

  withBotAndModel(
    (started) => {
      app = started;
      model = started.model;
    },
    { INTERVIEW_MAX_AUDIO_BYTES: String(30 * MB) },
  );

  async function filesOf(person: Person): Promise<StoredFile[]> {
    return app.sql<StoredFile>(
      `select f.state, f.name, f.mime_type as type, f.problem, f.bytes
       from file f join message m on m.id = f.message_id
       where m.conversation_id = $1 order by m.seq`,
      [await person.conversationId()],
    );
  }

  /** The number of messages in each answer that got a reply. */
  async function answered(person: Person): Promise<number[]> {
    const rows = await app.sql<{ count: number }>(
      `select count(m.id)::int as count from turn t join message m on m.turn_id = t.id
       where m.role = 'user' and t.conversation_id = $1 group by t.id order by t.id`,
      [await person.conversationId()],
    );
    return rows.map(({ count }) => count);
  }

  async function attention(person: Person): Promise<string[]> {
    const rows = await app.sql<{ reason: string }>(
      'select reason from attention where conversation_id = $1 order by id',
      [await person.conversationId()],
    );
    return rows.map(({ reason }) => reason);
  }

  test.each([
    ['cv.pdf', 'application/pdf', PDF, 'application/pdf', 'cv.pdf'],
    ['cv.docx', DOCX_TYPE, docx(), DOCX_TYPE, 'cv.docx'],
    ['cv.bin', 'application/octet-stream', PDF, 'application/pdf', 'cv.bin.pdf'],
  ])('the document %s is acknowledged and kept', async (name, mimeType, bytes, type, kept) => {
    const ada = await begunPerson(app);

    await ada.does((user) => user.sendsDocument(bytes, { name, mimeType }));

    expect(ada.heard).toEqual([EN.fileTaken]);
    expect(await ada.said()).toEqual([`[file: ${name}, ${bytes.length} B]`]);
    expect(await filesOf(ada)).toEqual([{ state: 'kept', name: kept, type, problem: null, bytes }]);
  });

  test('a document and its caption are one answer, and the model sees only the name of the document', async () => {
    const ada = await begunPerson(app);

    await ada.does((user) =>
      user.sendsDocument(PDF, { name: 'cv.pdf', caption: 'This is my CV.' }),
    );
    await app.pass(WINDOW_MS);

    expect(await answered(ada)).toEqual([2]);
    const prompt = model.promptWith('This is my CV.');
    const { answer } = model.dataWith('This is my CV.');
    expect(answer).toBe(`This is my CV.\n\n[file: cv.pdf, ${PDF.length} B]`);
    expect(prompt).toContain('names an attached file. You cannot open it');
    expect(prompt).not.toContain('endobj');
  });

  test('a document alone begins an answer, and extends an open answer like a message', async () => {
    const ada = await begunPerson(app);
    await ada.writes('My CV:');
    await app.pass(WINDOW_MS - 2000);

    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));
    await app.pass(WINDOW_MS - 2000);
    expect(await answered(ada)).toEqual([]);
    await app.pass(2000);
    expect(await answered(ada)).toEqual([2]);

    await ada.does((user) => user.sendsDocument(PDF, { name: 'letter.pdf' }));
    await app.pass(WINDOW_MS);
    expect(await answered(ada)).toEqual([2, 1]);
  });

  test('an edit of a caption changes the caption, and a caption that is added later is a message', async () => {
    const ada = await begunPerson(app);
    const first = ada.user.sendsDocument(PDF, { name: 'cv.pdf', caption: 'My CB' });
    const second = ada.user.sendsDocument(PDF, { name: 'letter.pdf' });
    await app.settle();

    await ada.does((user) => user.edits(first.message_id, 'My CV'));
    await ada.does((user) => user.edits(second.message_id, 'And a letter'));

    const size = `${PDF.length} B`;
    expect(await ada.said()).toEqual([
      'My CV',
      `[file: cv.pdf, ${size}]`,
      `[file: letter.pdf, ${size}]`,
      'And a letter',
    ]);
  });

  test('the pictures of an album belong to one answer, and get one reply', async () => {
    const ada = await begunPerson(app);

    await ada.does((user) => user.sendsAlbum([JPG, JPG, JPG], 'My three best loaves'));

    expect(ada.heard).toEqual([EN.fileTaken]);
    const label = `[file: photo.jpg, ${JPG.length} B]`;
    expect(await ada.said()).toEqual(['My three best loaves', label, label, label]);
    expect((await filesOf(ada)).map(({ state, type }) => [state, type])).toEqual(
      Array.from({ length: 3 }, () => ['kept', 'image/jpeg']),
    );
    const groups = (await ada.lines()).flatMap(({ attachment }) =>
      attachment === null ? [] : [attachment as unknown],
    );
    expect(new Set(groups.map((group) => JSON.stringify(group))).size).toBe(1);
    await app.pass(WINDOW_MS);
    expect(await answered(ada)).toEqual([4]);
  });

  test('a photo in a Russian interview has a Russian name', async () => {
    const ada = await begunPerson(app);
    await app.sql(`update conversation set language = 'ru' where id = $1`, [
      await ada.conversationId(),
    ]);

    await ada.does((user) => user.sendsPhoto(JPG));

    expect(await filesOf(ada)).toMatchObject([{ state: 'kept', name: 'фото.jpg' }]);
  });

  test('the largest size of a photo is kept', async () => {
    const ada = await begunPerson(app);
    const { photo = [], ...message } = ada.user.sendsPhoto(PNG);
    await app.settle();
    const [largest] = photo;
    const small = { file_id: 'small', file_unique_id: 's', width: 90, height: 90, file_size: 1 };

    await takeUpdate(app, {
      update_id: 910_000_001,
      message: { ...message, message_id: 78_001, photo: [largest, small] },
    });

    expect((await filesOf(ada)).map(({ bytes }) => bytes)).toEqual([PNG, PNG]);
  });

  test('a file of another type is not kept, and the bot says so', async () => {
    const ada = await begunPerson(app);
    const archive = zip({ 'readme.txt': 'no document' });

    await ada.does((user) => user.sendsDocument(archive, { name: 'all.zip' }));

    expect(ada.heard).toEqual([EN.fileTaken, TEXTS.fileOfOtherType('all.zip')]);
    expect(await filesOf(ada)).toEqual([
      { state: 'refused', name: 'all.zip', type: null, problem: 'type', bytes: null },
    ]);
    expect(await attention(ada)).toEqual(['a file was not kept (type)']);
  });

  test('a file of 21 MB is not fetched, and the bot asks for a smaller one', async () => {
    const ada = await begunPerson(app);
    const downloads = () => app.telegram.journal.calls('downloadFile').length;
    const before = downloads();

    await ada.does((user) =>
      user.sendsDocument(PDF, { name: 'cv.pdf', sizeBytes: 21 * MB, caption: 'My CV' }),
    );

    expect(downloads()).toBe(before);
    expect(ada.heard).toEqual([TEXTS.fileTooLarge('cv.pdf', '20 MB')]);
    expect(await ada.said()).toEqual(['My CV', '[file: cv.pdf, 21 MB]']);
    expect(await filesOf(ada)).toMatchObject([{ state: 'refused', problem: 'too_large' }]);
  });

  test('the bot asks again for a file that Telegram no longer has', async () => {
    const ada = await begunPerson(app);
    app.telegram.faults.on('getFile', {
      kind: 'status',
      code: 400,
      description: 'Bad Request: wrong file_id or the file is temporarily unavailable',
    });

    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));

    expect(ada.heard).toEqual([EN.fileTaken, TEXTS.fileLost('cv.pdf')]);
    expect(await filesOf(ada)).toMatchObject([{ state: 'refused', problem: 'gone' }]);
  });

  test.each([
    ['getFile', { kind: 'drop' }],
    ['getFile', { kind: 'status', code: 502 }],
    ['getFile', { kind: 'status', code: 429, retryAfterS: 3 }],
    ['downloadFile', { kind: 'drop' }],
    ['downloadFile', { kind: 'status', code: 500 }],
  ] as const)('a file is fetched later when %s fails: %j', async (method, fault) => {
    const ada = await begunPerson(app);
    app.telegram.faults.on(method, fault);

    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));
    expect(await filesOf(ada)).toMatchObject([{ state: 'announced', bytes: null }]);
    const kept = async (): Promise<boolean> => (await filesOf(ada))[0]?.state === 'kept';
    for (let wait = 0; wait < 12 && !(await kept()); wait += 1) await app.pass(5000);

    expect(await filesOf(ada)).toMatchObject([{ state: 'kept', bytes: PDF }]);
    expect(ada.heard).not.toContain(TEXTS.fileLost('cv.pdf'));
    const blamed = `select 1 from job where queue = 'fetch-file' and failures > 0`;
    expect(await app.sql(blamed)).toEqual([]);
  });

  test('a file is not fetched if its candidate has withdrawn meanwhile', async () => {
    const ada = await begunPerson(app);
    const away = { kind: 'status', code: 500 } as const;
    app.telegram.faults.on('downloadFile', away, { times: Infinity });
    await ada.does((user) => user.sendsDocument(PDF, { name: 'cv.pdf' }));
    await app.sql(`update conversation set status = 'withdrawn' where id = $1`, [
      await ada.conversationId(),
    ]);
    app.telegram.faults.clear();

    const isOver = async (): Promise<boolean> => (await filesOf(ada))[0]?.state !== 'announced';
    for (let wait = 0; wait < 12 && !(await isOver()); wait += 1) await app.pass(5000);

    expect(await filesOf(ada)).toMatchObject([{ problem: 'withdrawn', bytes: null }]);
    expect(ada.heard).toEqual([EN.fileTaken]);
  });

  test('a file that is erased while it is being fetched leaves nothing behind', async () => {
    const ada = await begunPerson(app);
    const away = { kind: 'status', code: 500 } as const;
    app.telegram.faults.on('downloadFile', away, { times: Infinity });
    await ada.does((user) => user.sendsDocument(PDF, { name: 'erased.pdf' }));
    await ada.writes('/forget');
    await ada.presses(EN.forgetButton);
    app.telegram.faults.clear();
    await app.pass(120_000);

    expect(await app.sql(`select 1 from file where name = 'erased.pdf'`)).toEqual([]);
    const left = `select 1 from job t where queue = 'fetch-file'
      and not exists (select from message m where m.id::text = t.key)`;
    expect(await app.sql(left)).toEqual([]);
  });

  test('a file over the limit is refused with a reply, and its caption is kept', async () => {
    const ada = await begunPerson(app);
    const sizeBytes = 16 * MB;
    await ada.does((user) => user.sendsDocument(PDF, { name: 'a.pdf', sizeBytes }));

    await ada.does((user) => user.sendsDocument(PDF, { name: 'b.pdf', sizeBytes, caption: 'B' }));

    expect(ada.heard).toEqual([EN.fileTaken, EN.filesFull]);
    expect(await ada.said()).toEqual(['[file: a.pdf, 16 MB]', 'B']);
    expect(await attention(ada)).toHaveLength(1);
  });

  test('the bot speaks about a file in the language of the interview', async () => {
    const ada = await begunPerson(app);
    await ada.writes('/language');
    await ada.presses('Русский');
    ada.forgetsTheChat();

    await ada.does((user) => user.sendsDocument(PDF, { name: 'Резюме.pdf', sizeBytes: 1_572_864 }));

    expect(ada.heard).toEqual([RU.fileTaken]);
    expect(await ada.said()).toEqual(['[файл: Резюме.pdf, 1,5 МБ]']);
  });
});
