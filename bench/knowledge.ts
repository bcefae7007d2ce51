/**
 * How often the right passage for a question is among the five found (recall@5), in the documents of
 * the examples. Full text search needs no server. Search by vectors and reranking by the model are
 * measured only with a real server (OPENAI_API_KEY, OPENAI_EMBEDDING_MODEL), which gets 70 to 300 requests.
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { VacancyRepository } from '../src/vacancies';
import { Embedder, KnowledgeRepository, KnowledgeSearch, type Passage } from '../src/knowledge';
import { EmbeddingSweep } from '../src/knowledge/embedding-sweep';
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
      const { recall, missed } = await recallOf(questions, (question) =>
        search(vacancies[language], question),
      );
      const count = String(questions.questions.length);
      print(`${name}, ${language}, ${count} ${set} questions`, recall.toFixed(2));
      for (const question of missed) process.stdout.write(`      missed: ${question}\n`);
    }
  }
}

function print(name: string, value: string): void {
  process.stdout.write(`  ${name.padEnd(44)} ${value}\n`);
}

/** The search as the application runs it; prints each question for which it fell back to another order. */
function searching(app: NestFastifyApplication, wanted: string): Search {
  const search = app.get(KnowledgeSearch, { strict: false });
  return async (vacancyId, question) => {
    const signal = new AbortController().signal;
    const { passages, order } = await search.search({ vacancyId, question, signal });
    if (order !== wanted)
      process.stdout.write(`      ${order} instead of ${wanted}: ${question}\n`);
    return passages;
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
    const query = { vacancyId, model, vector, limit: 5 };
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
  process.stdout.write('\nrecall@5 over the example vacancies\n');
  await printRecall('full text', vacancies, searching(offline, 'full_text'));
  await offline.close();

  const given = MODEL_SETTINGS.map((name) => [name, process.env[name] ?? ''] as const);
  const online = await openApplication(database.url, Object.fromEntries(given));
  const { model } = online.get(Embedder, { strict: false });
  if (model === null) print('vectors', 'not measured');
  else await printRecall('vectors', vacancies, await searchingByVector(online, model));
  const hasModel = (process.env.OPENAI_API_KEY ?? '') !== '';
  if (!hasModel) print('reranked', 'not measured');
  else await printRecall('reranked', vacancies, searching(online, 'reranked'));
  await online.close();
  await database.close();
}

void main();
