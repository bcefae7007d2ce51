import { ColloquyError, type ErrorFields } from '../common/errors';
import { PeerUnavailableError } from '../jobs';

/*
 * The errors of a model, one for each decision of a caller. No error has a cause, because causes
 * are logged and a server's text may contain the prompt or part of the key.
 */

/** The model server as a whole is unreachable, overloaded, or refuses every request. */
export class ModelUnavailableError extends PeerUnavailableError {
  override readonly code = 'model_unavailable';
}

export type ModelFailureKind =
  /** The model refused. */
  | 'refused'
  /** The output hit the token limit. */
  | 'length'
  | 'content_filter'
  /** Only white space. */
  | 'empty'
  /** The stream ended, or broke, before its end. */
  | 'cut'
  /** The stream paused for too long, or did not end in time. */
  | 'stalled'
  /** The server rejects this request. */
  | 'bad_request'
  /** The output does not have the requested form. */
  | 'malformed';

const SENTENCES: Readonly<Record<ModelFailureKind, string>> = {
  refused: 'the model refused the request',
  length: "the model's output reached its token limit (OPENAI_MAX_OUTPUT_TOKENS)",
  content_filter: "the server's content filter stopped the completion",
  empty: "the model's output was only white space",
  cut: "the model's output broke off before it was complete",
  stalled: "the model's output paused for too long, or did not end in time",
  bad_request: 'the model server rejected this request',
  malformed: "the model's output does not have the requested form",
};

const PERMANENT: ReadonlySet<ModelFailureKind> = new Set(['refused', 'content_filter']);

/** This completion failed; others may succeed. */
export class ModelFailure extends ColloquyError {
  readonly code = 'model_failure';
  /** False: the same request would be refused again. */
  readonly retryable: boolean;
  /**
   * The client sends this request in another form the next time, so the next attempt need not wait.
   * It happens a few times for a request.
   */
  readonly isAdjusted: boolean;

  constructor(
    readonly kind: ModelFailureKind,
    options: { readonly fields?: ErrorFields; readonly isAdjusted?: boolean } = {},
  ) {
    super(SENTENCES[kind], { fields: { ...options.fields, kind } });
    this.isAdjusted = options.isAdjusted ?? false;
    this.retryable = this.isAdjusted || !(PERMANENT.has(kind) || kind === 'bad_request');
  }
}

/** What the ledger stores beside the outcome of a failed attempt: words and short codes. */
export function ledgerNote(error: unknown): string | undefined {
  if (!(error instanceof ModelFailure)) return undefined;
  const words = [
    ...(error.isAdjusted ? [ADJUSTED] : []),
    ...(error.kind === 'length' ? ['OPENAI_MAX_OUTPUT_TOKENS'] : []),
    ...(error.isAdjusted ? [] : [error.fields['status'], error.fields['reason']]),
  ];
  const known = words.filter((word) => word !== undefined);
  return known.length === 0 ? undefined : known.map(String).join(' ');
}

/** Begins the note of an attempt that does not count as a failure of its answer. */
export const ADJUSTED = 'adjusted';

/** The caller's own signal ended the request. */
export class ModelAbortedError extends ColloquyError {
  readonly code = 'model_aborted';
  readonly retryable = true;
}

/**
 * How an attempt ended, as stored in the ledger. `ok`: also a stream that was left after its verdict, because
 * a search comes first; how many tokens it took is not known then. `stopped`: by the candidate. `aborted`: by a drain
 * or a lost lease. `error`: a bug of ours. Until it is settled, a row says `sent`.
 */
export type AttemptOutcome =
  'ok' | 'stopped' | 'aborted' | 'unavailable' | 'error' | ModelFailureKind;

/** The outcome that a thrown error stands for. */
export function outcomeOf(error: unknown): AttemptOutcome {
  if (error instanceof ModelFailure) return error.kind;
  if (error instanceof ModelUnavailableError) return 'unavailable';
  return error instanceof ModelAbortedError ? 'aborted' : 'error';
}
