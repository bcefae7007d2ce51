import { Global, Module } from '@nestjs/common';
import { ChoosingModel, Embedder } from '../knowledge';
import { Embeddings, LlmModule, RerankModel } from '../llm';

/** The models as the search of documents wants them. */
@Global()
@Module({
  imports: [LlmModule],
  providers: [
    {
      provide: Embedder,
      inject: [Embeddings],
      useFactory: (embeddings: Embeddings): Embedder => embeddings,
    },
    {
      provide: ChoosingModel,
      inject: [RerankModel],
      useFactory: (model: RerankModel): ChoosingModel => model,
    },
  ],
  exports: [Embedder, ChoosingModel],
})
export class KnowledgePortsModule {}
