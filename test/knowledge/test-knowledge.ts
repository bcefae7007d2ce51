import type { Clock } from '../../src/common/clock';
import { DomainEvents } from '../../src/common/events';
import { Drain } from '../../src/common/lifecycle';
import type { Tx } from '../../src/common/uow';
import { VacancyRepository } from '../../src/vacancies';
import { type Embedder, KnowledgeRepository } from '../../src/knowledge';
import { EmbeddingSweep } from '../../src/knowledge/embedding-sweep';
import { FullTextRepository } from '../../src/knowledge/full-text.repository';
import { KnowledgeSearch } from '../../src/knowledge/knowledge-search.service';
import { Embeddings, LlmLedgerRepository, LlmMetrics } from '../../src/llm';
import { OpenAiEmbeddings } from '../../src/llm/openai-embeddings';
import { RecordedRequests } from '../../src/llm/recorded-requests';
import { type DatabasePool, TestDatabase, openPool } from '../support/app-database';
import { documentsOf } from '../support/documents';
import { settingsForTests } from '../support/settings';
import { vacancyDraft } from '../support/vacancies';

export interface ModelAddress {
  readonly baseUrl: string;
  readonly embeddingModel?: string;
  readonly apiKey?: string;
}

/** The knowledge room on a database of its own, with the models of one server or none. */
export class TestKnowledge extends TestDatabase {
  readonly search: KnowledgeSearch;
  readonly sweep: EmbeddingSweep;
  readonly drain = new Drain(this.clock, 1000);
  readonly documents = new KnowledgeRepository(this.clock);

  private constructor(pool: DatabasePool, address?: ModelAddress) {
    super(pool);
    const { units, clock, documents, registry } = this;
    const settings = settingsForTests();
    const ledger = new LlmLedgerRepository(settings, clock);
    const requests = new RecordedRequests(units, ledger, new LlmMetrics(registry), clock);
    const embedder: Embedder = new Embeddings(embeddingClient(address, clock), requests);
    const words = new FullTextRepository();
    this.sweep = new EmbeddingSweep(units, documents, embedder, this.drain);
    this.sweep.onModuleInit();
    this.search = new KnowledgeSearch(units, words, documents, embedder);
  }

  static async open(address?: ModelAddress): Promise<TestKnowledge> {
    return new TestKnowledge(await openPool(), address);
  }

  /** A vacancy with these documents, by their names. */
  vacancy(texts: Readonly<Record<string, string>>, slug = 'baker'): Promise<string> {
    return this.commit(async (tx) => {
      const vacancies = new VacancyRepository(this.clock, new DomainEvents());
      const { vacancy } = await vacancies.upsert(tx, vacancyDraft({ slug }));
      await this.documents.replace(tx, vacancy.id, documentsOf(texts));
      return vacancy.id;
    });
  }

  /**
   * Two commits, the second of which waits for the first. The first one ends only when PostgreSQL
   * reports that the second waits for its lock.
   */
  async oneBehindTheOther<T>(work: (tx: Tx) => Promise<T>): Promise<[T, T]> {
    const first = await this.halfDone(work);
    const second = this.commit(work);
    await this.untilLockWait();
    return Promise.all([first.end(), second]);
  }
}

function embeddingClient(address: ModelAddress | undefined, clock: Clock): OpenAiEmbeddings | null {
  if (address?.embeddingModel === undefined) return null;
  const { baseUrl, embeddingModel: model, apiKey = 'k' } = address;
  return new OpenAiEmbeddings({ apiKey, baseUrl, model, timeoutMs: 5000 }, clock);
}

export const CALM: AbortSignal = new AbortController().signal;
