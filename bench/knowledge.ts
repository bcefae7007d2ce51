/**
 * How often the right passage for a question is among the first five found (recall@5), and among all ten that
 * the interviewer reads, in the documents of the examples. Full text search needs no server. Search by vectors
 * is measured only with a real server (OPENAI_API_KEY, OPENAI_EMBEDDING_MODEL), which gets about 70 requests.
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { VacancyRepository } from '../src/vacancies';
import { Embedder, KnowledgeRepository, KnowledgeSearch, type Passage } from '../src/knowledge';
import { EmbeddingSweep } from '../src/knowledge/embedding-sweep';
import { MAX_RESULTS } from '../src/knowledge/passage';
import {
  type EvaluatedLanguage,
  type SetName,
  evaluationSet,
  exampleWithDocuments,
  recallOf,
} from '../test/knowledge/recall';
import { commit, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';

type Search = (vacancyId: string, question: string) => Promise<readonly Passage[]>;
type Vacancy = Readonly<Record<EvaluatedLanguage, string>>;

const SETS: readonly SetName[] = ['agreed', 'unseen'];
const LANGUAGES: readonly EvaluatedLanguage[] = ['ru', 'en'];
const MODEL_SETTINGS = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'OPENAI_MODEL',
  'OPENAI_EMBEDDING_MODEL',
];

async function importExample(
  app: NestFastifyApplication,
  language: EvaluatedLanguage,
): Promise<string> {
  const set = await evaluationSet(language, 'agreed');
  const { draft, documents } = await exampleWithDocuments(set.vacancy, language);
  return commit(app, async (tx) => {
    const { vacancy } = await app.get(VacancyRepository, { strict: false }).upsert(tx, draft);
    await app.get(KnowledgeRepository, { strict: false }).replace(tx, vacancy.id, documents);
    return vacancy.id;
  });
}

async function printRecall(name: string, vacancies: Vacancy, search: Search): Promise<void> {
  for (const set of SETS) {
    for (const language of LANGUAGES) {
      const questions = await evaluationSet(language, set);
      const count = String(questions.questions.length);
      const find = (question: string) => search(vacancies[language], question);
      for (const among of [5, MAX_RESULTS]) {
        const { recall, missed } = await recallOf(questions, find, among);
        const head = `${name}, ${language}, ${count} ${set} questions, first ${String(among)}`;
        print(head, recall.toFixed(2));
        for (const question of missed) process.stdout.write(`      missed: ${question}\n`);
      }
    }
  }
}

function print(name: string, value: string): void {
  process.stdout.write(`  ${name.padEnd(54)} ${value}\n`);
}

/** The search as the application runs it without a model server: by words. */
function searchingByWords(app: NestFastifyApplication): Search {
  const search = app.get(KnowledgeSearch, { strict: false });
  return async (vacancyId, question) => {
    const signal = new AbortController().signal;
    return (await search.search({ vacancyId, question, signal })).passages;
  };
}

async function searchingByVector(app: NestFastifyApplication, model: string): Promise<Search> {
  const sweep = app.get(EmbeddingSweep, { strict: false });
  if ((await sweep.run()) === 0) throw new Error('the server embedded nothing');
  const embedder = app.get(Embedder, { strict: false });
  const documents = app.get(KnowledgeRepository, { strict: false });
  return async (vacancyId, question) => {
    const asked = { subject: 'eval', texts: [question] };
    const response = await embedder.embed(asked, new AbortController().signal);
    const vector = response.ok ? response.value.vectors[0] : undefined;
    if (vector === undefined) throw new Error('the server embedded no question');
    const query = { vacancyId, model, vector, limit: MAX_RESULTS };
    return (await commit(app, (tx) => documents.findByVector(tx, query))) ?? [];
  };
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const offline = await openApplication(database.url, { OPENAI_API_KEY: '' });
  const vacancies = {
    ru: await importExample(offline, 'ru'),
    en: await importExample(offline, 'en'),
  };
  process.stdout.write('\nrecall over the example vacancies\n');
  await printRecall('full text', vacancies, searchingByWords(offline));
  await offline.close();

  const given = MODEL_SETTINGS.map((name) => [name, process.env[name] ?? ''] as const);
  const online = await openApplication(database.url, Object.fromEntries(given));
  const { model } = online.get(Embedder, { strict: false });
  if (model === null) print('vectors', 'not measured');
  else await printRecall('vectors', vacancies, await searchingByVector(online, model));
  await online.close();
  await database.close();
}

void main();
