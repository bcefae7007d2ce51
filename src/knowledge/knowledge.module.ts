import { Module } from '@nestjs/common';
import { KnowledgeDocuments } from './documents';
import { EmbeddingSweep, PassageEmbeddings } from './embedding';
import { Reranker } from './rerank';
import { ByVector, FullText, KnowledgeSearch } from './search';

/** Expects a global Clock, Metrics, Settings and UnitsOfWork, and the two ports of models. */
@Module({
  providers: [
    KnowledgeDocuments,
    PassageEmbeddings,
    EmbeddingSweep,
    FullText,
    ByVector,
    Reranker,
    KnowledgeSearch,
  ],
  exports: [KnowledgeDocuments, KnowledgeSearch],
})
export class KnowledgeModule {}
