/**
 * What this capability needs of models, in its own words; the composition root hands it over. A
 * failure is a value, because every caller here has something to fall back to. Both enter their
 * requests in the ledger under `flushId`, and throw only what the database throws.
 */
export type Asked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export abstract class Embedder {
  /** Null: there is none, and nothing is asked of it. */
  abstract readonly model: string | null;

  /** One vector for each text, in their order, all of one length. */
  abstract embed(
    asked: { readonly flushId: string; readonly texts: readonly string[] },
    signal: AbortSignal,
  ): Promise<Asked<{ readonly vectors: readonly (readonly number[])[] }>>;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** Whatever the model wrote. */
  readonly input: unknown;
}

export type Said =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'calls'; readonly calls: readonly Call[] }
  | { readonly role: 'result'; readonly callId: string; readonly content: string };

/** A model that acts by tool calls. */
export abstract class ChoosingModel {
  /** False: there is none, and nothing is asked of it. */
  abstract readonly isOn: boolean;

  abstract ask(
    asked: {
      readonly flushId: string;
      readonly system: string;
      readonly messages: readonly Said[];
      readonly tools: readonly Tool[];
      readonly maxOutputTokens: number;
    },
    signal: AbortSignal,
  ): Promise<Asked<{ readonly calls: readonly Call[] }>>;
}
