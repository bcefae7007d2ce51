/** A tool that a model may call instead of answering. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One request to a model: what it is to do, what it reads, and the shape of its answer. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** A server that cannot hold the model to a schema is asked for it in words, or for plain text. */
  readonly schema: { readonly name: string; readonly jsonSchema: object };
  /** Servers that take no tools are not told of them. */
  readonly tools?: readonly OfferedTool[];
  readonly maxOutputTokens: number;
}

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  /** After the text, if there is any. `input`: what the model wrote if it is JSON, or undefined. */
  | { readonly type: 'call'; readonly name: string; readonly input: unknown }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/** The model that interviews; the token under which Nest hands it over. */
export abstract class ModelClient {
  /** Its name, for the ledger. */
  abstract readonly model: string;

  /**
   * Sends exactly one HTTP request and never retries. Ends normally only after the whole answer
   * (finish reason `stop` with some text, or calls of offered tools); otherwise throws ModelUnavailableError, ModelFailure, or
   * ModelAbortedError when `signal` aborted. Never inside a commit.
   */
  abstract stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** Stands where no model is configured: the scripted interviewer asks, so calling this is a bug. */
export class NoModelClient extends ModelClient {
  override readonly model = 'none';

  override stream(): AsyncIterable<ModelChunk> {
    throw new Error('no model is configured, and one was called');
  }
}
