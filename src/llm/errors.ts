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

/** What a server said about a failed request, in a status line or in the middle of a stream. */
export interface ServerError {
  /** Undefined inside a stream that began with 200. */
  readonly status?: number | undefined;
  /** The `error` object of the body or of the stream's event. */
  readonly body: unknown;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Statuses that concern the server as a whole and no single answer: overload and outage, and a
 * key, an account or a model name that is refused to everybody.
 */
const WHOLE_SERVER = new Set([401, 402, 403, 404, 408, 409, 425, 429]);
const WHOLE_SERVER_CODE =
  /rate_limit|quota|overload|server_error|internal_error|unavailable|timeout|capacity|credits/i;
const RATE_LIMIT_CODE = /rate_limit|quota|overload|capacity|credits/i;
const FILTERED_CODE = /content_filter|content_policy|moderation/i;

/** Whose failure it was. Of the server's words only short codes are kept. */
export function classifyServerError(error: ServerError): ModelUnavailableError | ModelFailure {
  const code = codeOf(error.body);
  const status = error.status ?? statusInBody(error.body);
  const fields: ErrorFields = {
    ...(status === undefined ? {} : { status }),
    ...(code === '' ? {} : { reason: code }),
  };
  if (FILTERED_CODE.test(code) || isFlagged(error.body)) {
    return new ModelFailure('content_filter', { fields });
  }
  if (isWholeServer(status, code)) {
    const what = [status?.toString() ?? '', code].filter((part) => part !== '').join(' ');
    return new ModelUnavailableError(`the model server is unavailable: ${what}`, {
      fields,
      retryAfterMs: error.retryAfterMs,
      mayConcernJobOnly: !isRateLimit(status, code) && error.retryAfterMs === undefined,
    });
  }
  return new ModelFailure(status === undefined ? 'cut' : 'bad_request', { fields });
}

/** Too much is asked, by whomever; OpenAI reports an account without credit so, too. */
function isRateLimit(status: number | undefined, code: string): boolean {
  return status === 429 || status === 529 || RATE_LIMIT_CODE.test(code);
}

function isWholeServer(status: number | undefined, code: string): boolean {
  if (status === undefined) return WHOLE_SERVER_CODE.test(code);
  return status >= 500 || WHOLE_SERVER.has(status);
}

/** Why a request was rejected, for learning how to ask; empty when the server did not say. */
export function rejectionReason(body: unknown): string {
  const parts = [field(body, 'param'), field(body, 'message'), field(body, 'code')];
  const raw = field(field(body, 'metadata'), 'raw');
  return [...parts, raw]
    .filter((part): part is string => typeof part === 'string')
    .join(' ')
    .slice(0, 4000);
}

/** OpenRouter puts the HTTP status into the error's code. */
function statusInBody(body: unknown): number | undefined {
  const code = field(body, 'code') ?? field(body, 'status');
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

/** A short machine word, or empty: never a sentence, which could hold what a candidate wrote. */
function codeOf(body: unknown): string {
  const words = [field(body, 'code'), field(body, 'type')];
  const found = words.find(
    (word) => typeof word === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(word),
  );
  return typeof found === 'string' ? found : '';
}

/** OpenRouter's moderation refuses with 403 and says that the input was flagged. */
function isFlagged(body: unknown): boolean {
  return field(field(body, 'metadata'), 'flagged_input') !== undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/**
 * How an attempt ended, in the ledger's words. `stopped`: by the candidate. `aborted`: by a drain
 * or a lost lease. `error`: ours. Until it is settled a row says `sent`: the process may have died.
 */
export type AttemptOutcome =
  'ok' | 'stopped' | 'aborted' | 'unavailable' | 'error' | ModelFailureKind;

/** What a thrown error means for the attempt. */
export function outcomeOf(error: unknown): AttemptOutcome {
  if (error instanceof ModelFailure) return error.kind;
  if (error instanceof ModelUnavailableError) return 'unavailable';
  return error instanceof ModelAbortedError ? 'aborted' : 'error';
}
