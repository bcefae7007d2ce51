/**
 * The models that a search needs; InterviewModule binds them. A failure is a value, because every
 * caller here has a fallback. Both record their requests in the ledger under `flushId`, and throw
 * only errors of the database.
 */
export type ModelResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export abstract class Embedder {
  /** Null: no model is configured, and `embed` is not called. */
  abstract readonly model: string | null;

  /** One vector for each text, in their order, all of one length. */
  abstract embed(
    request: { readonly flushId: string; readonly texts: readonly string[] },
    signal: AbortSignal,
  ): Promise<ModelResult<{ readonly vectors: readonly (readonly number[])[] }>>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly input: unknown;
}

export type ToolMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'calls'; readonly calls: readonly Call[] }
  | { readonly role: 'result'; readonly callId: string; readonly content: string };

/** A model that acts by tool calls. */
export abstract class ChoosingModel {
  /** False: no model is configured, and `request` is not called. */
  abstract readonly isOn: boolean;

  abstract request(
    request: {
      readonly flushId: string;
      readonly system: string;
      readonly messages: readonly ToolMessage[];
      readonly tools: readonly Tool[];
      readonly maxOutputTokens: number;
    },
    signal: AbortSignal,
  ): Promise<ModelResult<{ readonly calls: readonly Call[] }>>;
}
