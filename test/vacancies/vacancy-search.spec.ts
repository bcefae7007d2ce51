import { resolve } from 'node:path';
import { DomainEvents } from '../../src/common/events';
import { VacancyRepository, readVacancyFile } from '../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { vacancyDraft } from '../support/vacancies';

const EXAMPLES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'];

let database: TestDatabase;
let vacancies: VacancyRepository;

beforeEach(async () => {
  database = await openTestDatabase();
  vacancies = new VacancyRepository(database.clock, new DomainEvents());
});

afterEach(async () => {
  await database.close();
});

describe('a search for a vacancy', () => {
  beforeEach(async () => {
    for (const file of EXAMPLES) {
      const draft = await readVacancyFile(resolve(__dirname, '../../examples', file));
      await database.commit((tx) => vacancies.upsert(tx, draft));
    }
  });

  async function search(query: string, limit = 10): Promise<string[]> {
    const found = await database.commit((tx) => vacancies.search(tx, query, { limit }));
    return found.map(({ slug }) => slug);
  }

  test.each([
    ['backend engineer', ['backend-engineer']],
    ['BACKEND', ['backend-engineer']],
    ['back-end engineers', ['backend-engineer']],
    ['payment', ['backend-engineer']],
    ['job at harbourline', ['backend-engineer']],
    ['Harbour', ['backend-engineer']],
    ['руководитель', ['support-lead']],
    ['РУКОВОДИТЕЛЯ группы', ['support-lead']],
    ['поддержка', ['support-lead']],
    ['поддержку', ['support-lead']],
    ['в Тихую гавань', ['support-lead']],
    ['support-lead', ['support-lead']],
    ['lead engineer', ['backend-engineer', 'support-lead']],
    ['повар', []],
    ['100%', []],
    ["'; drop table vacancy; --", []],
  ])('finds by %j: %j', async (query, slugs) => {
    await expect(search(query)).resolves.toEqual(slugs);
  });

  test('treats ё as е, and ignores accents', async () => {
    await database.commit((tx) =>
      vacancies.upsert(tx, vacancyDraft({ slug: 'a', title: 'Учётчик' })),
    );
    await database.commit((tx) => vacancies.upsert(tx, vacancyDraft({ slug: 'b', title: 'Café' })));

    expect([await search('учетчик'), await search('УЧЁТЧИКА')]).toEqual([['a'], ['a']]);
    expect([await search('cafe'), await search('кафе')]).toEqual([['b'], []]);
  });

  test('returns the closest first', async () => {
    for (const [slug, title] of [
      ['a', 'Engineer of supportive structures'],
      ['b', 'Support engineer'],
    ] as const) {
      await database.commit((tx) => vacancies.upsert(tx, vacancyDraft({ slug, title })));
    }

    await expect(search('support engineer')).resolves.toEqual([
      'b',
      'a',
      'backend-engineer',
      'support-lead',
    ]);
    await expect(search('support engineer', 2)).resolves.toEqual(['b', 'a']);
  });

  test.each(['', '  ', '?!', '\u200b'])('finds all by a query without words: %j', async (query) => {
    await expect(search(query)).resolves.toEqual(['support-lead', 'backend-engineer'].reverse());
  });

  test('returns vacancies with their open links', async () => {
    const [found] = await database.commit((tx) => vacancies.search(tx, 'backend', { limit: 1 }));

    const stored = await database.commit((tx) => vacancies.findBySlug(tx, 'backend-engineer'));
    expect(found).toEqual(stored);
  });
});
