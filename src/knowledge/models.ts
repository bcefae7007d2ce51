import type { Tx } from '../common/uow';

/** Called in the commit that records a request, before it is sent; throws when it may not be sent any more. */
export type Admit = ((tx: Tx) => Promise<void>) | undefined;

/**
 * The models that a search needs; InterviewModule binds them. A failure is a value, because every
 * caller here has a fallback. Both record their requests in the ledger under `subject`, and throw
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

/** A model that writes one JSON object. */
export abstract class ChoosingModel {
  /** False: no model is configured, and `object` is not called. */
  abstract readonly isOn: boolean;

  /**
   * The last object of the output that `accept` returns something for. One that stands in `given`, the
   * texts in the request, is a quotation.
   */
  abstract object<T>(
    request: {
      readonly subject: string;
      readonly admit?: Admit;
      readonly purpose: 'rerank';
      readonly system: string;
      readonly messages: readonly { readonly role: 'user'; readonly content: string }[];
      readonly schema: { readonly name: string; readonly jsonSchema: object };
      readonly maxOutputTokens: number;
    },
    reading: { readonly accept: (value: unknown) => T | null; readonly given: readonly string[] },
    signal: AbortSignal,
  ): Promise<ModelResult<T>>;
}
