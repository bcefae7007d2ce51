import { Module } from '@nestjs/common';
import { KnowledgeRepository } from './knowledge.repository';
import { EmbeddingSweep } from './embedding-sweep';
import { FullTextRepository } from './full-text.repository';
import { KnowledgeSearch } from './knowledge-search.service';

/** Expects a global Clock, Drain, Metrics, Settings, UnitOfWorkFactory and Embedder. */
@Module({
  providers: [KnowledgeRepository, EmbeddingSweep, FullTextRepository, KnowledgeSearch],
  exports: [FullTextRepository, KnowledgeRepository, KnowledgeSearch],
})
export class KnowledgeModule {}
