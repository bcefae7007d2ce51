import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SystemClock } from '../../src/common/clock';
import { KnowledgeRepository, withAnswer } from '../../src/knowledge';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { runCli } from '../support/run-cli';

const ENGLISH = resolve(__dirname, '../../examples/backend-engineer.en.yaml');

let database: TestDatabase<SystemClock>;
let folder: string;

beforeEach(async () => {
  database = await openTestDatabase(new SystemClock());
  folder = await mkdtemp(join(tmpdir(), 'vacancies-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await database.close();
});

/** The example without its logo and with other documents; returns its path. */
async function vacancyWith(knowledge: string): Promise<string> {
  const source = await readFile(ENGLISH, 'utf8');
  const file = join(folder, 'a.yaml');
  const plain = source.replace(/^logo: .*\n/m, '');
  await writeFile(file, plain.replace(/^knowledge:\n( {2}- .*\n)+/m, knowledge));
  return file;
}

function importing(file: string) {
  return runCli(['vacancy', 'import', file], { DATABASE_URL: database.url });
}

async function countOf(table: string): Promise<number> {
  const rows = await database.units.run('test', (uow) =>
    uow.commit('test.count', (tx) => tx.query(`select 1 from ${table}`)),
  );
  return rows.length;
}

test('vacancy export leaves out what people have answered, which is no part of the file', async () => {
  await writeFile(join(folder, 'a.md'), 'One.');
  await importing(await vacancyWith('knowledge: [a.md]\n'));
  await database.units.run('test', (uow) =>
    uow.commit('test.answer', async (tx) => {
      const [vacancy] = await tx.query<{ id: string }>('select id from vacancy');
      const answered = { question: 'Home?', answer: 'On Fridays.', language: 'en' } as const;
      await new KnowledgeRepository(database.clock).put(
        tx,
        vacancy?.id ?? '',
        withAnswer([], answered),
      );
    }),
  );

  const run = await runCli(['vacancy', 'export', 'backend-engineer'], {
    DATABASE_URL: database.url,
  });
  const versions = await importing(await vacancyWith('knowledge: [a.md]\n'));

  expect(run.out).toContain('a.md');
  expect(run.out).not.toContain('questions-and-answers');
  expect(versions.code).toBe(0);
  expect(await countOf(`vacancy_version where file like '%questions-and-answers%'`)).toBe(0);
});

describe('vacancy:import', () => {
  test('imports nothing when a document is wrong, and says where', async () => {
    const file = await vacancyWith('knowledge: [a.md, b.md]\n');
    await writeFile(join(folder, 'a.md'), 'One.\nTwo\0.\n');

    const run = await importing(file);

    const [a, b] = [join(folder, 'a.md'), join(folder, 'b.md')];
    expect(run).toEqual({
      code: 1,
      out: '',
      err: `${a}:2: expected text without NUL\n${b}: there is no such file\n`,
    });
    expect(await countOf('vacancy')).toBe(0);
  });

  test('replaces what changed and removes what is no longer named', async () => {
    await writeFile(join(folder, 'a.md'), '# A\nOne.\n# B\nTwo.');
    await writeFile(join(folder, 'b.md'), 'Three.');
    await writeFile(join(folder, 'c.md'), 'Four.');
    const first = await importing(await vacancyWith('knowledge: [a.md, b.md, c.md]\n'));
    await writeFile(join(folder, 'b.md'), 'Changed.');

    const second = await importing(await vacancyWith('knowledge: [a.md, b.md]\n'));
    const third = await importing(await vacancyWith(''));
    const fourth = await importing(await vacancyWith(''));

    expect(first.out).toContain('  documents  3 stored; 4 passages\n');
    expect(second.out).toContain('  documents  1 stored, 1 unchanged, 1 removed; 3 passages\n');
    expect(third.out).toContain('  documents  2 removed; 0 passages\n');
    expect(fourth.out).not.toContain('documents');
    expect(await countOf('knowledge_passage')).toBe(0);
  });
});
