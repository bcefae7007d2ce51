import { Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { LlmLedger } from './llm-ledger';
import { ModelClient, NoModelClient } from './model-client';

/** The model, if a key is set, and the ledger of what was asked of it. */
@Module({
  providers: [
    LlmLedger,
    {
      provide: ModelClient,
      inject: [Settings, Clock],
      useFactory: modelOf,
    },
  ],
  exports: [LlmLedger, ModelClient],
})
export class LlmModule {}

/** Loads the client's library only where it is used: it is a good part of a start. */
async function modelOf({ llm }: Settings, clock: Clock): Promise<ModelClient> {
  if (llm.apiKey === '') return new NoModelClient();
  const { OpenAiClient } = await import('./openai-client');
  return new OpenAiClient(llm, clock);
}
