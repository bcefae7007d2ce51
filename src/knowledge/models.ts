import type { Tx } from '../common/uow';

/** Called in the commit that records a request, before it is sent; throws when it may not be sent any more. */
export type Admit = ((tx: Tx) => Promise<void>) | undefined;

/**
 * The model that a search needs; InterviewModule binds it. A failure is a value, because every
 * caller here has a fallback. It records its requests in the ledger under `subject`, and throws
 * only errors of the database and of `admit`.
 */
export type ModelResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export abstract class Embedder {
  /** Null: no model is configured, and `embed` is not called. */
  abstract readonly model: string | null;

  /** One vector for each text, in their order, all of one length. */
  abstract embed(
    request: {
      readonly subject: string;
      readonly texts: readonly string[];
      readonly admit?: Admit;
    },
    signal: AbortSignal,
  ): Promise<ModelResult<{ readonly vectors: readonly (readonly number[])[] }>>;
}
