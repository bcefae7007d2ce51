import { Metrics } from '../../src/common/metrics';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { type ChoosingModel, type Embedder, KnowledgeRepository } from '../../src/knowledge';
import { documentOf } from '../../src/knowledge/document-files';
import { EmbeddingSweep } from '../../src/knowledge/embedding-sweep';
import { Reranker } from '../../src/knowledge/reranker';
import { FullTextRepository } from '../../src/knowledge/full-text.repository';
import { KnowledgeSearch } from '../../src/knowledge/knowledge-search.service';
import { Embeddings, LlmLedgerRepository, LlmMetrics, RerankModel } from '../../src/llm';
import { OpenAiEmbeddings } from '../../src/llm/openai-embeddings';
import { OpenAiTools } from '../../src/llm/openai-tools';
import { RecordedRequests } from '../../src/llm/recorded-requests';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { gate } from '../../tools/http-fake/gate';
import { settingsForTests } from '../support/settings';
import { vacancyDraft } from '../support/vacancies';

export interface ModelAddress {
  readonly baseUrl: string;
  readonly embeddingModel?: string;
  readonly choosingModel?: string;
  readonly apiKey?: string;
}

/** The knowledge room on a database of its own, with the models of one server or none. */
export interface KnowledgeStage {
  readonly database: TestDatabase;
  readonly search: KnowledgeSearch;
  readonly sweep: EmbeddingSweep;
  readonly documents: KnowledgeRepository;
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A vacancy with these documents, by their names. */
  vacancy(documents: Readonly<Record<string, string>>, slug?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openKnowledge(address?: ModelAddress): Promise<KnowledgeStage> {
  const database = await openTestDatabase();
  const { clock, units } = database;
  const settings = settingsForTests({ KNOWLEDGE_EMBEDDING_BATCH: '4' });
  const commit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    units.run('test', (uow) => uow.commit('test.commit', work));
  const ledger = new LlmLedgerRepository(settings, clock);
  const requests = new RecordedRequests(units, ledger, new LlmMetrics(new Metrics()), clock);
  const embedder: Embedder = new Embeddings(embeddingClient(address, database), requests);
  const model: ChoosingModel = new RerankModel(choosingClient(address, database), requests);
  const documents = new KnowledgeRepository(clock);
  return {
    database,
    documents,
    commit,
    sweep: new EmbeddingSweep(units, documents, embedder, settings),
    search: new KnowledgeSearch(
      units,
      new FullTextRepository(),
      documents,
      embedder,
      new Reranker(model, clock, settings),
      new Metrics(),
    ),
    vacancy: (texts, slug = 'baker') =>
      commit(async (tx) => {
        const { vacancy } = await new VacancyRepository(clock).upsert(tx, vacancyDraft({ slug }));
        const read = Object.entries(texts).map(([name, text]) =>
          documentOf({ name, language: 'en', text }),
        );
        await documents.replace(tx, vacancy.id, read);
        return vacancy.id;
      }),
    close: () => database.close(),
  };
}

function embeddingClient(
  address: ModelAddress | undefined,
  { clock }: TestDatabase,
): OpenAiEmbeddings | null {
  if (address?.embeddingModel === undefined) return null;
  const { baseUrl, embeddingModel: model, apiKey = 'k' } = address;
  return new OpenAiEmbeddings({ apiKey, baseUrl, model, timeoutMs: 5000 }, clock);
}

function choosingClient(
  address: ModelAddress | undefined,
  { clock }: TestDatabase,
): OpenAiTools | null {
  if (address?.choosingModel === undefined) return null;
  const { baseUrl, choosingModel: model, apiKey = 'k' } = address;
  return new OpenAiTools({ apiKey, baseUrl, model, timeoutMs: 30_000 }, clock);
}

export const CALM: AbortSignal = new AbortController().signal;

/**
 * Two commits, the second of which waits for the first. The first one ends only when PostgreSQL
 * reports that the second waits for its lock.
 */
export async function oneBehindTheOther<T>(
  stage: KnowledgeStage,
  work: (tx: Tx) => Promise<T>,
): Promise<[T, T]> {
  const done = gate();
  const go = gate();
  const first = stage.commit(async (tx) => {
    const result = await work(tx);
    done.open();
    await go.opened;
    return result;
  });
  await done.opened;
  const second = stage.commit(work);
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await stage.database.dataSource.query<unknown[]>(waiting)).length === 0);
  go.open();
  return Promise.all([first, second]);
}
