import { DomainEvents } from '../../src/common/events';
import { VacancyRepository } from '../../src/vacancies';
import { CALM, TestKnowledge } from './test-knowledge';
import { type EvaluatedLanguage, evaluationSet, exampleWithDocuments, recallOf } from './recall';

const LANGUAGES: readonly EvaluatedLanguage[] = ['ru', 'en'];

let setup: TestKnowledge;

beforeAll(async () => {
  setup = await TestKnowledge.open();
});

afterAll(async () => {
  await setup.close();
});

describe.each(LANGUAGES)('the questions over the example in %s', (language) => {
  test('are twenty different ones, each with its passage in the documents', async () => {
    const { vacancy, questions } = await evaluationSet(language, 'agreed');
    const { documents } = await exampleWithDocuments(vacancy, language);
    const passages = documents.flatMap(({ name, chunks }) =>
      chunks.map(({ headings }) => `${name} ${headings.at(-1) ?? ''}`),
    );

    expect(new Set(questions.map(({ question }) => question)).size).toBe(20);
    const answers = questions.map(({ document, heading }) => `${document} ${heading}`);
    expect(new Set(answers).size).toBe(20);
    expect(passages).toEqual(expect.arrayContaining(answers));
    expect(passages.length).toBeGreaterThanOrEqual(40);
  });

  test.each(['agreed', 'unseen'] as const)(
    'find their passage among five by words alone for at least 0.8 of the %s ones',
    async (name) => {
      const set = await evaluationSet(language, name);
      const { draft, documents } = await exampleWithDocuments(set.vacancy, language);
      const vacancyId = await setup.commit(async (tx) => {
        const { vacancy } = await new VacancyRepository(setup.clock, new DomainEvents()).upsert(
          tx,
          draft,
        );
        await setup.documents.replace(tx, vacancy.id, documents);
        return vacancy.id;
      });

      const { recall, missed } = await recallOf(set, async (question) => {
        const found = await setup.search.search({ vacancyId, question, signal: CALM });
        expect(found.order).toBe('full_text');
        return found.passages;
      });

      expect({ isEnough: recall >= 0.8, missed }).toMatchObject({ isEnough: true });
    },
  );
});
