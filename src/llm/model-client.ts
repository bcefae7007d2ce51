/** A tool that a model may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** One request to a model: instructions, messages, and the form of the output. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /**
   * A server without support for schemas gets the schema in the instructions, or returns plain
   * text.
   */
  readonly schema: { readonly name: string; readonly jsonSchema: object };
  /** Left out for servers that reject tools. */
  readonly tools?: readonly OfferedTool[];
  readonly maxOutputTokens: number;
}

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  /** After the text, if there is any. `input`: what the model wrote if it is JSON, or undefined. */
  | { readonly type: 'call'; readonly name: string; readonly input: unknown }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number };

/** The model that interviews. It is also Nest's injection token. */
export abstract class ModelClient {
  /** Its name, for the ledger. */
  abstract readonly model: string;

  /**
   * Sends exactly one HTTP request and never retries. Ends normally only after a whole completion
   * (finish reason `stop` with some text, or calls of offered tools). Otherwise throws
   * ModelUnavailableError, ModelFailure, or ModelAbortedError when `signal` aborted. Never inside a
   * commit.
   */
  abstract stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** Used when no model is configured. The scripted interviewer replies then, so a call is a bug. */
export class NoModelClient extends ModelClient {
  override readonly model = 'none';

  override stream(): AsyncIterable<ModelChunk> {
    throw new Error('a model was called, but none is configured');
  }
}
