import { COMMAND } from '../common/command-name';
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
  length: "the model's output reached the token limit",
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
   * The client has learned what this server supports and changes its requests, so the next attempt
   * need not wait. It happens a few times per server and process.
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

/** The caller's own signal ended the request. */
export class ModelAbortedError extends ColloquyError {
  readonly code = 'model_aborted';
  readonly retryable = true;
}

/** A server's error, as a response or in the middle of a stream. */
export interface ServerError {
  /** Undefined in a stream that began with status 200. */
  readonly status?: number | undefined;
  /** The `error` object of the body or of the stream's event. */
  readonly body: unknown;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Statuses that concern the server and not one request: overload, outage, and a key, an account or
 * a model name that the server rejects.
 */
const WHOLE_SERVER = new Set([401, 402, 403, 404, 408, 409, 425, 429]);
/** The server responds, and waiting does not help: its key, account, address or model is wrong. */
const REFUSES_REQUESTS = new Set<number | undefined>([401, 402, 403, 404]);
const WHOLE_SERVER_CODE =
  /rate_limit|quota|overload|server_error|internal_error|unavailable|timeout|capacity|credits/i;
const RATE_LIMIT_CODE = /rate_limit|quota|overload|capacity|credits/i;
const FILTERED_CODE = /content_filter|content_policy|moderation/i;

/** Sorts a server's error. Only short codes of the server's text are kept. */
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
    const sentence = REFUSES_REQUESTS.has(status)
      ? `the model server refuses requests (${what}): run ${COMMAND} doctor`
      : `the model server is unavailable: ${what}`;
    return new ModelUnavailableError(sentence, {
      fields,
      retryAfterMs: error.retryAfterMs,
      mayConcernJobOnly: !isRateLimit(status, code) && error.retryAfterMs === undefined,
    });
  }
  return new ModelFailure(status === undefined ? 'cut' : 'bad_request', { fields });
}

/** A rate limit. OpenAI reports an account without credit the same way. */
function isRateLimit(status: number | undefined, code: string): boolean {
  return status === 429 || status === 529 || RATE_LIMIT_CODE.test(code);
}

function isWholeServer(status: number | undefined, code: string): boolean {
  if (status === undefined) return WHOLE_SERVER_CODE.test(code);
  return status >= 500 || WHOLE_SERVER.has(status);
}

/** Why a server rejected a request, for ServerCapabilities; empty when it gave no reason. */
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

/** A short code, or empty. Never a sentence, which could contain a candidate's text. */
function codeOf(body: unknown): string {
  const words = [field(body, 'code'), field(body, 'type')];
  const found = words.find(
    (word) => typeof word === 'string' && /^[a-z][a-z0-9_.-]{0,63}$/i.test(word),
  );
  return typeof found === 'string' ? found : '';
}

/** OpenRouter's moderation responds with 403 and the flagged input. */
function isFlagged(body: unknown): boolean {
  return field(field(body, 'metadata'), 'flagged_input') !== undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/**
 * How an attempt ended, as stored in the ledger. `stopped`: by the candidate. `aborted`: by a drain
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
