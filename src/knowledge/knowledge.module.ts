import { Module } from '@nestjs/common';
import { KnowledgeRepository, PassageEmbeddings, ByVector } from './knowledge.repository';
import { EmbeddingSweep } from './embedding-sweep';
import { Reranker } from './reranker';
import { FullTextRepository } from './full-text.repository';
import { KnowledgeSearch } from './knowledge-search.service';

/** Expects a global Clock, Metrics, Settings and UnitOfWorkFactory, and the two ports of models. */
@Module({
  providers: [
    KnowledgeRepository,
    PassageEmbeddings,
    EmbeddingSweep,
    FullTextRepository,
    ByVector,
    Reranker,
    KnowledgeSearch,
  ],
  exports: [KnowledgeRepository, KnowledgeSearch],
})
export class KnowledgeModule {}
