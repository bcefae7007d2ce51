import { type ModelChunk, type ModelClient, type ModelRequest } from './model-client';
import type { Counted, RecordedRequests, Requested } from './recorded-requests';

/** A completion that is read as a whole. */
export interface Completed extends Counted {
  readonly text: string;
  /** Of the tools that were offered. Nothing is called. */
  readonly calls: readonly Extract<ModelChunk, { type: 'call' }>[];
}

/** The model outside the interview, for requests whose completion is read as a whole and not shown. */
export class Completions {
  /** `client` null: no model is configured. */
  constructor(
    private readonly client: ModelClient | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: no model is configured, and a request is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  /** The model's name; empty without one. */
  get model(): string {
    return this.client?.model ?? '';
  }

  /** Exactly one HTTP request, recorded in the ledger. Never inside a commit. */
  complete(
    {
      flushId,
      purpose = 'score',
      ...request
    }: ModelRequest & { readonly flushId: string; readonly purpose?: 'score' | 'replay' },
    signal: AbortSignal,
  ): Promise<Requested<Completed>> {
    const { client } = this;
    if (client === null) throw new Error('a model was called, but none is configured');
    return this.requests.send({ flushId, purpose, model: client.model }, async () => {
      let text = '';
      let counted: Counted = {};
      const calls: Completed['calls'][number][] = [];
      for await (const chunk of client.stream(request, signal)) {
        if (chunk.type === 'text') text += chunk.text;
        if (chunk.type === 'call') calls.push(chunk);
        if (chunk.type !== 'usage') continue;
        counted = { inputTokens: chunk.inputTokens, outputTokens: chunk.outputTokens };
      }
      return { text, calls, ...counted };
    });
  }
}
