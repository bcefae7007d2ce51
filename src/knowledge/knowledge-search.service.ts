import { MAX_RESULTS, type Passage, type SearchResult } from './passage';
import { Injectable } from '@nestjs/common';
import { newId } from '../common/ids';
import { storable } from '../common/text';
import { type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { KnowledgeRepository } from './knowledge.repository';
import { type Admit, Embedder } from './models';
import { FullTextRepository } from './full-text.repository';

/** Only so much of a longer question is searched. */
const MAX_QUESTION = 2000;

export interface KnowledgeQuestion {
  readonly vacancyId: string;
  /** In the candidate's words. */
  readonly question: string;
  readonly signal: AbortSignal;
  /**
   * For the ledger: the flush that the search belongs to. Without it the search gets an id of its
   * own.
   */
  readonly subject?: string;
  /** Asked before each request to a model. What it throws ends the search. */
  readonly admit?: Admit;
}

/**
 * Finds what a vacancy's documents say about a candidate's question: ten passages by vectors, or by
 * words when a passage has no vector. Which of them answer it, the interviewer sees itself. A search succeeds
 * also when the model server is slow, unavailable or wrong. It opens its own units, never inside a commit.
 */
@Injectable()
export class KnowledgeSearch {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly fullText: FullTextRepository,
    private readonly documents: KnowledgeRepository,
    private readonly embedder: Embedder,
  ) {}

  /** Throws the signal's reason when it aborted, what `admit` throws, and errors of the database. */
  async search(query: KnowledgeQuestion): Promise<SearchResult> {
    const { vacancyId, signal, admit, subject = `search:${newId()}` } = query;
    signal.throwIfAborted();
    const question = searchable(query.question);
    const wanted = { vacancyId, question, subject, admit };
    const result = await this.units.run('knowledge.search', async (uow) => {
      const found = await this.findByVector(uow, wanted, signal);
      return (
        found ?? { passages: await this.findByWords(uow, wanted), order: 'full_text' as const }
      );
    });
    signal.throwIfAborted();
    return result;
  }

  /** Null when the search has to be made by words. */
  private async findByVector(
    uow: UnitOfWork,
    { vacancyId, question, subject, admit }: Search,
    signal: AbortSignal,
  ): Promise<SearchResult | null> {
    const { model } = this.embedder;
    if (model === null || question === '') return null;
    const isComplete = await uow.commitOne('knowledge.is_embedded', (tx) =>
      this.documents.isEmbedded(tx, vacancyId, model),
    );
    if (!isComplete) return null;
    const embedded = await this.embedder.embed({ subject, admit, texts: [question] }, signal);
    signal.throwIfAborted();
    const vector = embedded.ok ? embedded.value.vectors[0] : undefined;
    if (vector === undefined) return null;
    const passages = await uow.commit('knowledge.by_vector', (tx) =>
      this.documents.findByVector(tx, { vacancyId, model, vector, limit: MAX_RESULTS }),
    );
    return passages === null ? null : { passages, order: 'vectors' };
  }

  private findByWords(uow: UnitOfWork, { vacancyId, question }: Search): Promise<Passage[]> {
    return uow.commitOne('knowledge.by_words', (tx) =>
      this.fullText.find(tx, { vacancyId, question, limit: MAX_RESULTS }),
    );
  }
}

interface Search {
  readonly vacancyId: string;
  readonly question: string;
  readonly subject: string;
  readonly admit: Admit;
}

/** Shortened, in NFC, and without characters that cannot be stored. */
function searchable(question: string): string {
  return storable(question.slice(0, MAX_QUESTION), ' ').normalize('NFC').trim();
}
