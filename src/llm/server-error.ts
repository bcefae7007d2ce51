import { COMMAND } from '../common/command-name';
import type { ErrorFields } from '../common/errors';
import { ModelFailure, ModelUnavailableError } from './errors';

/** A server's error, as a response or in the middle of a stream. */
export interface ServerError {
  /** Undefined in a response that began with status 200. */
  readonly status?: number | undefined;
  /** The whole body or the data of the stream's event: parsed, if it is JSON, else its text. */
  readonly body: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** Sorts a server's error. Only short codes of the server's text are kept. */
export function classifyServerError(error: ServerError): ModelUnavailableError | ModelFailure {
  const words = errorWords(error);
  const { status, codes } = words;
  const code = codes.find((word) => !EMPTY_CODE.test(word)) ?? codes[0] ?? '';
  const fields: ErrorFields = {
    ...(status === undefined ? {} : { status }),
    ...(code === '' ? {} : { reason: code }),
  };
  if (words.isFlagged || codes.some((word) => FILTERED_CODE.test(word))) {
    return new ModelFailure('content_filter', { fields });
  }
  if (isWholeServer(words)) {
    const what = [status?.toString() ?? '', code].filter((part) => part !== '').join(' ');
    const sentence = REFUSES_REQUESTS.has(status)
      ? `the model server refuses requests (${what}): run ${COMMAND} doctor`
      : `the model server is unavailable: ${what}`;
    return new ModelUnavailableError(sentence, {
      fields,
      retryAfterMs: error.retryAfterMs,
      mayConcernJobOnly: !isRateLimit(words) && error.retryAfterMs === undefined,
    });
  }
  return new ModelFailure(status === undefined ? 'cut' : 'bad_request', { fields });
}

/** The server responds, and waiting does not help: its key, account, address or model is wrong. */
const REFUSES_REQUESTS = new Set<number | undefined>([401, 402, 403, 404]);
const FILTERED_CODE =
  /content_?filter|content_?policy|moderation|responsible_?ai|data_?inspection|sensitive|guardrail/i;
/** Codes that say no more than "error". */
const EMPTY_CODE = /^(error|invalid_request_error|bad_?request(_?error)?)$/i;

const MOST_TEXT = 4000;

export function errorWords({ status, body }: ServerError): ErrorWords {
  const found = new FoundWords();
  found.read(body, '', 0);
  return {
    status: status ?? found.status,
    codes: found.codes,
    text: found.texts.join(' ').slice(0, MOST_TEXT),
    isFlagged: found.isFlagged,
  };
}

/** What a server says of an error, wherever in the body it stands. */
export interface ErrorWords {
  /** Of the response, else the one that the body names. */
  readonly status: number | undefined;
  /** Short words only, the innermost first. */
  readonly codes: readonly string[];
  /** Everything that names a reason. It may quote the prompt: never log or store it. */
  readonly text: string;
  /** OpenRouter's moderation sends the flagged input back. */
  readonly isFlagged: boolean;
}

/**
 * The places of reasons. OpenAI: `error.{message,type,param,code}`. Older vLLM: the same keys at the top. FastAPI: `detail`, a text or a list of `{loc, msg}`. Mistral: `message.detail`. TGI and
 * Ollama: `error` as a text. Google: a list of errors, with `status` as a word. OpenRouter:
 * `metadata.raw`. What a server repeats of the request (`input`, `ctx`) is not read.
 */
const PLACES = [
  'error',
  'errors',
  'innererror',
  'code',
  'type',
  'error_type',
  'status',
  'status_code',
  'reason',
  'param',
  'loc',
  'msg',
  'message',
  'error_message',
  'detail',
  'details',
  'title',
  'description',
  'metadata',
  'raw',
] as const;
const CODES: ReadonlySet<string> = new Set([
  'error',
  'code',
  'type',
  'error_type',
  'status',
  'reason',
]);
const STATUSES: ReadonlySet<string> = new Set(['code', 'status', 'status_code']);
const CODE = /^[a-z][a-z0-9_.-]{0,63}$/i;
const MOST_ITEMS = 20;
const MOST_DEPTH = 6;

class FoundWords {
  status: number | undefined;
  isFlagged = false;
  readonly codes: string[] = [];
  readonly texts: string[] = [];

  read(value: unknown, place: string, depth: number): void {
    if (depth > MOST_DEPTH) return;
    if (typeof value === 'string' || typeof value === 'number') this.take(String(value), place);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      if (place === 'loc') this.texts.push(value.join('.'));
      else for (const item of value.slice(0, MOST_ITEMS)) this.read(item, place, depth + 1);
      return;
    }
    if ('flagged_input' in value) this.isFlagged = true;
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name of PLACES) this.read(fields[name], name, depth + 1);
  }

  private take(word: string, place: string): void {
    if (STATUSES.has(place) && /^[45]\d\d$/.test(word)) {
      this.status ??= Number(word);
      return;
    }
    if (CODES.has(place) && CODE.test(word)) this.codes.push(word);
    this.texts.push(word);
  }
}

const RATE_LIMIT_CODE =
  /rate.?limit|quota|overload|capacity|credits|exhausted|too_?many_?requests|throttl|arrear/i;

/** A rate limit. OpenAI reports an account without credit the same way. */
function isRateLimit({ status, codes }: ErrorWords): boolean {
  return status === 429 || status === 529 || codes.some((word) => RATE_LIMIT_CODE.test(word));
}

/**
 * Statuses that concern the server and not one request: overload, outage, and a key, an account or
 * a model name that the server rejects.
 */
const WHOLE_SERVER = new Set([401, 402, 403, 404, 408, 409, 425, 429]);

const OUTAGE_CODE =
  /server_?error|internal_?(server_?)?error|unavailable|time_?out|bad_?gateway|^api_error$|^internal$/i;
const KEY_CODE = /(invalid|incorrect|missing)_api_key|api_key_invalid|authentication_error/i;

/** Gateways send some errors of the account, the key or the load with status 400. */
function isWholeServer(words: ErrorWords): boolean {
  const { status, codes } = words;
  if (status !== undefined && (status >= 500 || WHOLE_SERVER.has(status))) return true;
  if (isRateLimit(words) || codes.some((word) => KEY_CODE.test(word))) return true;
  return status === undefined && codes.some((word) => OUTAGE_CODE.test(word));
}

const RESULTS = ['choices', 'data', 'text'] as const;

/**
 * Whether a body of status 200, or an event of a stream, reports an error and is no completion. Gateways
 * send the error object without `error` around it.
 */
export function isErrorBody(body: object): boolean {
  const fields = body as Readonly<Record<string, unknown>>;
  const { error, object, type, message, detail } = fields;
  if (typeof error === 'object' && error !== null) return Object.keys(error).length > 0;
  if (typeof error === 'string' && error !== '') return true;
  if (object === 'error' || type === 'error') return true;
  if (RESULTS.some((name) => name in fields)) return false;
  const isNamed = typeof type === 'string' || [...STATUSES].some((name) => name in fields);
  return detail !== undefined || (typeof message === 'string' && isNamed);
}
