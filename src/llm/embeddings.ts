import type { EmbeddingResult, OpenAiEmbeddings } from './openai-embeddings';
import type { RecordedRequest, RecordedRequests, RequestResult } from './recorded-requests';

/**
 * Texts as vectors, if an embedding model is configured. Each request is recorded in the ledger.
 */
export class Embeddings {
  constructor(
    private readonly client: OpenAiEmbeddings | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** Null: no model is configured, and a call of `embed` is a bug. */
  get model(): string | null {
    return this.client?.model ?? null;
  }

  async embed(
    asked: {
      readonly subject: string;
      readonly texts: readonly string[];
      readonly admit?: RecordedRequest['admit'];
    },
    signal: AbortSignal,
  ): Promise<RequestResult<EmbeddingResult>> {
    const { client } = this;
    if (client === null)
      throw new Error('an embedding was requested, but no embedding model is configured');
    const { model, baseUrl } = client;
    const { subject, texts, admit } = asked;
    const request = { subject, purpose: 'embed', model, baseUrl, admit } as const;
    return this.requests.send(request, () => client.embed(texts, signal));
  }
}
