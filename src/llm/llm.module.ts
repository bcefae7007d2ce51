import { Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { LlmLedger } from './llm-ledger';
import { ModelClient, NoModelClient } from './model-client';
import { OpenAiClient } from './openai-client';

/** The model, if a key is set, and the ledger of what was asked of it. */
@Module({
  providers: [
    LlmLedger,
    {
      provide: ModelClient,
      inject: [Settings, Clock],
      useFactory: ({ llm }: Settings, clock: Clock): ModelClient =>
        llm.apiKey === '' ? new NoModelClient() : new OpenAiClient(llm, clock),
    },
  ],
  exports: [LlmLedger, ModelClient],
})
export class LlmModule {}
