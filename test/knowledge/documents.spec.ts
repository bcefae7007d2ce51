import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentFileError, readDocuments } from '../../src/knowledge';
import { documentOf } from '../../src/knowledge/document-files';
import { TestKnowledge } from './test-knowledge';

describe('documents in a folder', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'documents-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function problemsOf(...names: string[]): Promise<string> {
    const error: unknown = await readDocuments(folder, names, 'en').catch((e: unknown) => e);
    if (error instanceof DocumentFileError) return error.message.replaceAll(`${folder}/`, '');
    throw new Error('it was read', { cause: error });
  }

  test('are read as normalized text with their language', async () => {
    await writeFile(join(folder, 'a.ru.md'), '\uFEFF# Йод\r\n\r\nтекст\r\n');
    await writeFile(join(folder, 'b.txt'), '# no heading');

    const documents = await readDocuments(folder, ['a.ru.md', 'b.txt'], 'en');

    expect(documents).toMatchObject([
      { name: 'a.ru.md', language: 'ru', chunks: [{ headings: ['Йод'], text: 'текст' }] },
      { name: 'b.txt', language: 'en', chunks: [{ headings: [], text: '# no heading' }] },
    ]);
  });

  test('are refused with all problems, each with file, line and reason', async () => {
    await writeFile(join(folder, 'nul.md'), 'one\ntwo\n\0three');
    await writeFile(join(folder, 'latin.md'), Buffer.from('one\nd\xe9j\xe0 vu\n', 'latin1'));
    await writeFile(join(folder, 'empty.md'), ' \n\n');
    await writeFile(join(folder, 'big.md'), 'x '.repeat(64 * 1024 + 1));
    await mkdir(join(folder, 'folder.md'));

    const names = [
      'nul.md',
      'latin.md',
      'empty.md',
      'big.md',
      'folder.md',
      'none.md',
      'b.txt/c.md',
    ];
    expect(await problemsOf(...names)).toBe(
      [
        'nul.md:3: expected text without NUL',
        'latin.md:2: expected UTF-8 text',
        'empty.md: expected some text',
        'big.md: expected at most 128 kB',
        'folder.md: is a folder, not a file',
        'none.md: there is no such file',
        'b.txt/c.md: there is no such file',
      ].join('\n'),
    );
  });

  test('are refused outside of the folder, also behind a link', async () => {
    await symlink('/etc/passwd', join(folder, 'link.txt'));
    await symlink('/etc', join(folder, 'etc'));

    expect(await problemsOf('link.txt', 'etc/passwd')).toBe(
      [
        "link.txt: expected a file inside the vacancy's folder",
        "etc/passwd: expected a file inside the vacancy's folder",
      ].join('\n'),
    );
  });

  test('have at most a thousand passages together', async () => {
    await writeFile(join(folder, 'many.md'), '# h\nx\n'.repeat(1001));

    expect(await problemsOf('b.txt', 'many.md')).toBe(
      'many.md: expected documents of at most 1000 passages together, found 1002, most of them here',
    );
  });
});

describe('stored documents', () => {
  let setup: TestKnowledge;

  beforeEach(async () => {
    setup = await TestKnowledge.open();
  });

  afterEach(async () => {
    await setup.close();
  });

  interface Row {
    readonly id: string;
    readonly name: string;
    readonly text: string;
  }

  function passages(): Promise<Row[]> {
    return setup.commit((tx) =>
      tx.query<Row>(
        `select p.id, d.name, p.text from knowledge_passage p
         join knowledge_document d on d.id = p.document_id order by d.name, p.position`,
      ),
    );
  }

  test('are replaced only when they changed', async () => {
    const id = await setup.vacancy({ 'a.md': '# A\none\n# B\ntwo', 'b.md': 'old', 'c.md': 'c' });
    const before = await passages();
    const documents = Object.entries({ 'a.md': '# A\none\n# B\ntwo', 'b.md': 'new', 'd.md': 'd' });

    const outcome = await setup.commit((tx) =>
      setup.documents.replace(
        tx,
        id,
        documents.map(([name, text]) => documentOf({ name, language: 'en', text })),
      ),
    );

    expect(outcome).toEqual({ stored: 2, unchanged: 1, removed: 1, passages: 4 });
    const after = await passages();
    expect(after.map(({ text }) => text)).toEqual(['one', 'two', 'new', 'd']);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  });

  test('of another vacancy stay unchanged', async () => {
    await setup.vacancy({ 'a.md': 'first' }, 'baker');
    await setup.vacancy({ 'a.md': 'second' }, 'cook');
    await setup.vacancy({}, 'baker');

    expect((await passages()).map(({ text }) => text)).toEqual(['second']);
  });

  test('are all stored or none', async () => {
    const id = await setup.vacancy({ 'a.md': 'old' });
    const good = documentOf({ name: 'a.md', language: 'en', text: 'new' });
    const bad = { ...documentOf({ name: 'b.md', language: 'en', text: 'x' }), language: 'de' };

    const replacing = setup.commit((tx) =>
      setup.documents.replace(tx, id, [good, bad as typeof good]),
    );

    await expect(replacing).rejects.toThrow('knowledge_document_language_check');
    expect((await passages()).map(({ text }) => text)).toEqual(['old']);
  });

  test('are the same after two imports at once', async () => {
    const id = await setup.vacancy({});
    const documents = [documentOf({ name: 'a.md', language: 'en', text: 'one' })];

    const outcomes = await setup.oneBehindTheOther((tx) =>
      setup.documents.replace(tx, id, documents),
    );

    expect(outcomes.map(({ stored }) => stored)).toEqual([1, 0]);
    expect(await passages()).toHaveLength(1);
  });

  test('are indexed with the dictionary of their language', async () => {
    await setup.vacancy({ 'a.ru.md': 'ещё отпуска', 'b.md': 'holidays' });

    const rows = await setup.commit((tx) =>
      tx.query<{ words: string }>('select words::text from knowledge_passage order by language'),
    );

    expect(rows.map(({ words }) => words)).toEqual(["'holiday':1", "'отпуск':2"]);
  });
});
