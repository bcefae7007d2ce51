import type { EmbeddingResult, OpenAiEmbeddings } from './openai-embeddings';
import type { RecordedRequests, Requested } from './recorded-requests';

/** Texts as vectors, if a model for that is configured; each request is in the ledger. */
export class Embeddings {
  constructor(
    private readonly client: OpenAiEmbeddings | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** Null: there is none, and asking it is a bug. */
  get model(): string | null {
    return this.client?.model ?? null;
  }

  async embed(
    asked: { readonly flushId: string; readonly texts: readonly string[] },
    signal: AbortSignal,
  ): Promise<Requested<EmbeddingResult>> {
    const { client } = this;
    if (client === null) throw new Error('no embedding model is configured, and one was asked');
    const request = { flushId: asked.flushId, purpose: 'embed', model: client.model } as const;
    return this.requests.send(request, () => client.embed(asked.texts, signal));
  }
}
