import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DomainEvents } from '../../src/common/events';
import {
  ExampleVacancies,
  type PrepareDocuments,
  type VacancyDraft,
  VacancyRepository,
  VacancyFileError,
  VacancyUnknownError,
} from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

const EXAMPLES = resolve(__dirname, '../../examples');

let database: TestDatabase;
let vacancies: VacancyRepository;
let examples: ExampleVacancies;

beforeEach(async () => {
  database = await openTestDatabase();
  vacancies = new VacancyRepository(database.clock, new DomainEvents());
  examples = new ExampleVacancies(vacancies);
});

afterEach(async () => {
  await database.close();
});

describe('an imported vacancy', () => {
  test('is found by its slug, its id and its open token', async () => {
    const { vacancy, outcome } = await database.commit((tx) =>
      vacancies.upsert(tx, vacancyDraft()),
    );

    expect(outcome).toBe('created');
    expect(vacancy).toMatchObject(vacancyDraft());
    const found = await database.commit(async (tx) => [
      await vacancies.find(tx, vacancy.id),
      await vacancies.findBySlug(tx, 'baker'),
      await vacancies.findByOpenToken(tx, vacancy.openToken),
    ]);
    expect(found).toEqual([vacancy, vacancy, vacancy]);
  });

  test('keeps its id and its open token when it is imported again', async () => {
    const first = await database.commit((tx) => vacancies.upsert(tx, vacancyDraft()));
    const changed = vacancyDraft({ title: 'Master baker' });

    const second = await database.commit((tx) => vacancies.upsert(tx, changed));

    expect(second.outcome).toBe('changed');
    expect(second.vacancy).toEqual({ ...first.vacancy, title: 'Master baker' });
  });

  test('is not changed by an import of the same file', async () => {
    const first = await database.commit((tx) => vacancies.upsert(tx, vacancyDraft()));
    database.clock.advance(60_000);

    const second = await database.commit((tx) => vacancies.upsert(tx, vacancyDraft()));

    expect(second).toEqual({ vacancy: first.vacancy, outcome: 'unchanged' });
    const [row] = await database.commit((tx) =>
      tx.query<{ same: boolean }>('select created_at = updated_at as same from vacancy'),
    );
    expect(row).toEqual({ same: true });
  });

  test('is named in the error when it does not exist', async () => {
    const getting = database.commit((tx) => vacancies.getBySlug(tx, 'cook'));

    await expect(getting).rejects.toThrow(VacancyUnknownError);
    await expect(
      database.commit((tx) => vacancies.findByOpenToken(tx, 'nothing')),
    ).resolves.toBeNull();
  });
});

describe('a logo', () => {
  const logoOf = (hash: string): NonNullable<VacancyDraft['logoFile']> => ({
    name: 'logo.png',
    mediaType: 'image/png',
    hash,
    content: Buffer.from(hash),
  });
  const imported = (logo?: string) =>
    database.commit((tx) =>
      vacancies.upsert(tx, vacancyDraft(logo === undefined ? {} : { logoFile: logoOf(logo) })),
    );
  const found = (hash: string) => database.commit((tx) => vacancies.findLogo(tx, hash));

  test('is stored with its vacancy and found by its hash', async () => {
    const { vacancy } = await imported('aa');

    expect(vacancy.brand).toEqual({ logo: { name: 'logo.png', hash: 'aa' } });
    expect(await found('aa')).toEqual({ mediaType: 'image/png', content: Buffer.from('aa') });
    expect(await found('bb')).toBeUndefined();
  });

  test('changes its vacancy when only the picture has changed', async () => {
    await imported('aa');

    const same = await imported('aa');
    const other = await imported('bb');

    expect([same.outcome, other.outcome]).toEqual(['unchanged', 'changed']);
    expect([await found('aa'), (await found('bb'))?.content]).toEqual([
      undefined,
      Buffer.from('bb'),
    ]);
  });

  test('is removed when the file no longer names one', async () => {
    await imported('aa');

    const { vacancy } = await imported();

    expect(vacancy.brand).toEqual({});
    expect(await found('aa')).toBeUndefined();
  });
});

describe('the example vacancies', () => {
  const stored: unknown[] = [];
  const prepareDocuments: PrepareDocuments = (folder, { knowledge }) =>
    Promise.resolve((_tx, { slug }) =>
      Promise.resolve(stored.push({ folder, slug, files: knowledge?.length })),
    );

  function load(directory: string) {
    return database.units.run('test', (uow) =>
      examples.loadIfEmpty(uow, directory, prepareDocuments),
    );
  }

  test('are loaded into an empty database, and only then', async () => {
    const first = await load(EXAMPLES);
    const again = await load(EXAMPLES);

    expect(first.map(({ slug }) => slug)).toEqual(['backend-engineer', 'support-lead']);
    expect(again).toEqual(first);
    expect(stored).toEqual([
      { folder: EXAMPLES, slug: 'backend-engineer', files: 4 },
      { folder: EXAMPLES, slug: 'support-lead', files: 4 },
    ]);
  });

  test('never overwrite or join what a team imported', async () => {
    await database.commit((tx) => vacancies.upsert(tx, vacancyDraft()));

    const all = await load(EXAMPLES);

    expect(all.map(({ slug }) => slug)).toEqual(['baker']);
  });

  test('are loaded once when two do it together', async () => {
    await Promise.all([load(EXAMPLES), load(EXAMPLES)]);

    const all = await database.commit((tx) => vacancies.list(tx));
    expect(all).toHaveLength(2);
  });

  test('may be missing, but not invalid', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'examples-'));
    await writeFile(join(folder, 'x.yaml'), 'slug: x');

    await expect(load(join(folder, 'none'))).resolves.toEqual([]);
    await expect(load(folder)).rejects.toThrow(VacancyFileError);

    await rm(folder, { recursive: true });
  });
});
