import { Module } from '@nestjs/common';
import { KnowledgeRepository } from './knowledge.repository';
import { EmbeddingSweep } from './embedding-sweep';
import { Reranker } from './reranker';
import { FullTextRepository } from './full-text.repository';
import { KnowledgeSearch } from './knowledge-search.service';

/** Expects a global Clock, Drain, Metrics, Settings, UnitOfWorkFactory, ChoosingModel and Embedder. */
@Module({
  providers: [KnowledgeRepository, EmbeddingSweep, FullTextRepository, Reranker, KnowledgeSearch],
  exports: [KnowledgeRepository, KnowledgeSearch],
})
export class KnowledgeModule {}
