import { Module, Global } from '@nestjs/common';
import { Embedder } from '../knowledge';
import { Embeddings, LlmModule } from '../llm';

/** Binds knowledge's Embedder to llm, because neither room imports the other. */
@Global()
@Module({
  imports: [LlmModule],
  providers: [{ provide: Embedder, useExisting: Embeddings }],
  exports: [Embedder],
})
export class KnowledgeModels {}
