import type { Passage, FirstOrder, SearchResult } from './passage';
import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { newId } from '../common/ids';
import { Metrics } from '../common/metrics';
import { storable } from '../common/text';
import { type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { PassageEmbeddings, ByVector } from './knowledge.repository';
import { Embedder } from './models';
import { Reranker } from './reranker';
import { FullTextRepository } from './full-text.repository';

const CANDIDATES = 50;
/** A longer question is searched by its beginning. */
const MAX_QUESTION = 2000;

export interface KnowledgeQuestion {
  readonly vacancyId: string;
  /** In the candidate's words. */
  readonly question: string;
  readonly signal: AbortSignal;
  /** For the ledger: the flush that the search belongs to; without it the search is its own. */
  readonly flushId?: string;
}

/**
 * Finds what a vacancy's documents say about a candidate's question: 50 candidates by vectors, or
 * by words where not every passage has a vector, of which the model chooses five. A model server
 * that is slow, away or wrong never fails a search. In units of its own, never inside a commit.
 */
@Injectable()
export class KnowledgeSearch {
  private readonly searches: Counter<'order' | 'found'>;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly fullText: FullTextRepository,
    private readonly byVector: ByVector,
    private readonly embeddings: PassageEmbeddings,
    private readonly embedder: Embedder,
    private readonly reranker: Reranker,
    metrics: Metrics,
  ) {
    this.searches = metrics.counter(
      'knowledge_searches_total',
      "Searches of a vacancy's documents",
      ['order', 'found'],
    );
  }

  /** Throws the reason of the signal when it aborted, and what the database throws. */
  async search(query: KnowledgeQuestion): Promise<SearchResult> {
    const { vacancyId, signal, flushId = `search:${newId()}` } = query;
    signal.throwIfAborted();
    const question = searchable(query.question);
    const asked = { vacancyId, question, flushId };
    const first = await this.units.run('knowledge.search', async (uow) => {
      const found = await this.findByVector(uow, asked, signal);
      return found ?? { passages: await this.findByWords(uow, asked), order: 'full_text' as const };
    });
    signal.throwIfAborted();
    const result = await this.reranker.rerank({ flushId, question, ...first }, signal);
    this.searches.inc({ order: result.order, found: String(result.passages.length > 0) });
    return result;
  }

  /** Null where vectors cannot answer. */
  private async findByVector(
    uow: UnitOfWork,
    { vacancyId, question, flushId }: Asked,
    signal: AbortSignal,
  ): Promise<First | null> {
    const { model } = this.embedder;
    if (model === null || question === '') return null;
    const isComplete = await uow.commitOne('knowledge.isEmbedded', (tx) =>
      this.embeddings.isComplete(tx, vacancyId, model),
    );
    if (!isComplete) return null;
    const answer = await this.embedder.embed({ flushId, texts: [question] }, signal);
    signal.throwIfAborted();
    const vector = answer.ok ? answer.value.vectors[0] : undefined;
    if (vector === undefined) return null;
    const passages = await uow.commit('knowledge.byVector', (tx) =>
      this.byVector.find(tx, { vacancyId, model, vector, limit: CANDIDATES }),
    );
    return passages === null ? null : { passages, order: 'vectors' };
  }

  private findByWords(uow: UnitOfWork, { vacancyId, question }: Asked): Promise<Passage[]> {
    return uow.commitOne('knowledge.byWords', (tx) =>
      this.fullText.find(tx, { vacancyId, question, limit: CANDIDATES }),
    );
  }
}

interface Asked {
  readonly vacancyId: string;
  readonly question: string;
  readonly flushId: string;
}

interface First {
  readonly passages: readonly Passage[];
  readonly order: FirstOrder;
}

/** Bounded, in one form, and storable. */
function searchable(question: string): string {
  return storable(question.slice(0, MAX_QUESTION), ' ').normalize('NFC').trim();
}
