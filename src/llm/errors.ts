import { ColloquyError, type ErrorFields } from '../common/errors';
import { PeerUnavailableError } from '../jobs';

/*
 * What a caller of a model can decide on. No error carries a cause: a server's own words may hold
 * the prompt or part of the key, and causes are logged.
 */

/** The model server as a whole: unreachable, overloaded, or refusing everybody. Nobody's answer. */
export class ModelUnavailableError extends PeerUnavailableError {
  override readonly code = 'model_unavailable';
}

export type ModelFailureKind =
  /** The model refused to answer. */
  | 'refused'
  /** The output hit the token limit. */
  | 'length'
  | 'content_filter'
  /** Nothing but white space. */
  | 'empty'
  /** The stream ended, or broke, before its end. */
  | 'cut'
  /** The stream went silent, or did not end. */
  | 'stalled'
  /** The server does not take this request. */
  | 'bad_request'
  /** The output is not what was asked for. */
  | 'malformed';

const PERMANENT: ReadonlySet<ModelFailureKind> = new Set(['refused', 'content_filter']);

/** This one answer failed; others may well succeed. */
export class ModelFailure extends ColloquyError {
  readonly code = 'model_failure';
  /** False: the same request would only be refused again. */
  readonly retryable: boolean;
  /**
   * The client has learned how this server wants to be asked and asks differently from now on:
   * the next attempt need not wait. Happens a few times per server and process, then never again.
   */
  readonly isAdjusted: boolean;

  constructor(
    readonly kind: ModelFailureKind,
    options: { readonly fields?: ErrorFields; readonly isAdjusted?: boolean } = {},
  ) {
    super(`the model's reply failed: ${kind}`, { fields: { ...options.fields, kind } });
    this.isAdjusted = options.isAdjusted ?? false;
    this.retryable = this.isAdjusted || !(PERMANENT.has(kind) || kind === 'bad_request');
  }
}

/** The caller's own signal ended the request. */
export class ModelAbortedError extends ColloquyError {
  readonly code = 'model_aborted';
  readonly retryable = true;
}
