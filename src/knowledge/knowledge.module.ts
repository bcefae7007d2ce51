import { Module } from '@nestjs/common';
import { KnowledgeRepository } from './documents';
import { EmbeddingSweep, PassageEmbeddings } from './embedding';
import { Reranker } from './rerank';
import { ByVector, FullTextRepository, KnowledgeSearch } from './search';

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
