import { type ErrorFields } from '../common/errors';
import { ModelFailure, ModelUnavailableError } from './errors';

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
      mayConcernTaskOnly: !isRateLimit(status, code) && error.retryAfterMs === undefined,
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
