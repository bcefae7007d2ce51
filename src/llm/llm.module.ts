import { Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { RunMode } from '../common/run-mode';
import { InterviewModels } from './interview-models';
import { ClientOnDemand, Completions, ModelClient, NoModelClient } from './model-client';
import { Embeddings } from './embeddings';
import { LlmLedgerRepository } from './llm-ledger.repository';
import { LlmMetrics } from './llm.metrics';
import { RecordedRequests } from './recorded-requests';
import type { ServerAddress } from './openai-http';
import { Transcriptions } from './transcriptions';

/**
 * The models, if a key is set, and the ledger of their requests. Expects a global Settings, Clock,
 * Metrics, RunMode and UnitOfWorkFactory.
 */
@Module({
  providers: [
    LlmLedgerRepository,
    LlmMetrics,
    RecordedRequests,
    { provide: ModelClient, inject: [Settings, Clock, RunMode], useFactory: modelOf },
    {
      provide: InterviewModels,
      inject: [Settings, ModelClient, Clock, RunMode],
      useFactory: modelsOf,
    },
    {
      provide: Completions,
      inject: [Settings, ModelClient, RecordedRequests],
      useFactory: ({ llm }: Settings, client: ModelClient, requests: RecordedRequests) =>
        new Completions(llm.apiKey === '' ? null : client, requests),
    },
    {
      provide: Embeddings,
      inject: [Settings, Clock, RecordedRequests, RunMode],
      useFactory: embeddingsOf,
    },
    {
      provide: Transcriptions,
      inject: [Settings, Clock, RecordedRequests, RunMode],
      useFactory: transcriptionsOf,
    },
  ],
  exports: [
    Completions,
    InterviewModels,
    LlmLedgerRepository,
    LlmMetrics,
    ModelClient,
    Embeddings,
    Transcriptions,
  ],
})
export class LlmModule {}

/**
 * Loads the client's library only when a key is set, because loading it delays the start; in a command, which
 * seldom asks a model, with the first request.
 */
async function modelOf({ llm }: Settings, clock: Clock, mode: RunMode): Promise<ModelClient> {
  if (llm.apiKey === '') return new NoModelClient();
  return mode.isServing
    ? clientOf(llm, llm, clock)
    : new ClientOnDemand(llm, () => clientOf(llm, llm, clock));
}

/** A client of this server, with the limits of the settings. */
export async function clientOf(
  { apiKey, baseUrl, model }: ServerAddress & { readonly model: string },
  llm: Settings['llm'],
  clock: Clock,
): Promise<ModelClient> {
  const { OpenAiClient } = await import('./openai-client');
  return new OpenAiClient({ ...llm, apiKey, baseUrl, model }, clock);
}

async function modelsOf(
  { llm }: Settings,
  first: ModelClient,
  clock: Clock,
  mode: RunMode,
): Promise<InterviewModels> {
  // A command writes no reply to a candidate, so it needs no second model.
  const { fallback: second } = llm;
  const fallback = second !== null && mode.isServing ? await clientOf(second, llm, clock) : null;
  return new InterviewModels(first, fallback, clock);
}

async function embeddingsOf(
  { llm }: Settings,
  clock: Clock,
  requests: RecordedRequests,
  mode: RunMode,
): Promise<Embeddings> {
  // A command embeds nothing: a server does it with what a command stores.
  if (llm.embeddingModel === null || !mode.isServing) return new Embeddings(null, requests);
  const { OpenAiEmbeddings } = await import('./openai-embeddings');
  const { apiKey, baseUrl, embeddingModel: model, embeddingTimeoutMs: timeoutMs } = llm;
  return new Embeddings(
    new OpenAiEmbeddings({ apiKey, baseUrl, model, timeoutMs }, clock),
    requests,
  );
}

async function transcriptionsOf(
  { llm }: Settings,
  clock: Clock,
  requests: RecordedRequests,
  mode: RunMode,
): Promise<Transcriptions> {
  if (llm.transcriptionModel === null || !mode.isServing) return new Transcriptions(null, requests);
  const { OpenAiTranscriptions } = await import('./openai-transcriptions');
  const { apiKey, baseUrl, transcriptionModel: model, transcriptionTimeoutMs: timeoutMs } = llm;
  return new Transcriptions(
    new OpenAiTranscriptions({ apiKey, baseUrl, model, timeoutMs }, clock),
    requests,
  );
}
