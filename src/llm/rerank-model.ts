import type { OpenAiTools, ToolCallResult, ToolRequest } from './openai-tools';
import type { RecordedRequests, Requested } from './recorded-requests';

/** The model as one that chooses by tool calls, if a key is set; each request is in the ledger. */
export class RerankModel {
  constructor(
    private readonly client: OpenAiTools | null,
    private readonly requests: RecordedRequests,
  ) {}

  /** False: there is none, and asking it is a bug. */
  get isOn(): boolean {
    return this.client !== null;
  }

  async ask(
    asked: ToolRequest & { readonly flushId: string },
    signal: AbortSignal,
  ): Promise<Requested<ToolCallResult>> {
    const { client } = this;
    if (client === null) throw new Error('no model is configured, and one was asked');
    const { flushId, ...request } = asked;
    return this.requests.send({ flushId, purpose: 'rerank', model: client.model }, () =>
      client.ask(request, signal),
    );
  }
}
