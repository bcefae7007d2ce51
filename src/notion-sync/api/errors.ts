import { ColloquyError, type ErrorFields } from '../../common/errors';
import { PeerUnavailableError } from '../../jobs';
import {
  type APIResponseError,
  type UnknownHTTPResponseError,
  InvalidPathParameterError,
  isHTTPResponseError,
} from '@notionhq/client';

/** One call in words that may be logged: ids and names of properties, never a value. */
export interface CallSubject {
  readonly endpoint:
    | 'query_data_source'
    | 'retrieve_data_source'
    | 'retrieve_page'
    | 'update_page'
    | 'create_page'
    | 'who_am_i'
    | 'list_users'
    | 'add_property';
  readonly pageId?: string;
  readonly dataSourceId?: string;
  /** Names of the properties that the call speaks of. */
  readonly properties?: readonly string[];
}

export function fieldsOf({ endpoint, pageId, dataSourceId }: CallSubject): ErrorFields {
  return {
    endpoint,
    ...(pageId === undefined ? {} : { pageId }),
    ...(dataSourceId === undefined ? {} : { dataSourceId }),
  };
}

/** Notion did not answer, or not as Notion does: try again, then give the task back. */
export class NotionUnavailableError extends PeerUnavailableError {
  override readonly code = 'notion_unavailable';
  /** False: the call was never made. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { mayHaveArrived: boolean; fields?: ErrorFields; cause?: unknown },
  ) {
    super(message, { ...options, mayConcernJobOnly: options.mayHaveArrived });
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** The token is not (or no longer) an integration's: nothing will work until an operator acts. */
export class NotionUnauthorizedError extends PeerUnavailableError {
  override readonly code = 'notion_unauthorized';
}

/** Somebody else changed the same thing at the same time: try again. */
export class NotionConflictError extends ColloquyError {
  readonly code = 'notion_conflict';
  readonly retryable = true;
}

/** The page or data source is gone, or not shared with the integration. */
export class NotionNotFoundError extends ColloquyError {
  readonly code = 'notion_not_found';
  readonly retryable = false;
}

/**
 * This very call will never be taken: a property that is missing or of another type, a right that
 * the integration has not. `fields` name the page or data source and, where known, the property.
 */
export class NotionRefusedError extends ColloquyError {
  readonly code = 'notion_refused';
  readonly retryable = false;
}

/** Notion wants nothing from anybody for a while: 429, 529, or a Retry-After. Give the task back. */
export class NotionPausedError extends PeerUnavailableError {
  override readonly code = 'notion_paused';
  /** False: the call was not made, or Notion counted it and did nothing. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { retryAfterMs: number; mayHaveArrived: boolean; fields?: ErrorFields },
  ) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** An HTTP answer that is no success, in what can be decided on. */
export interface HttpFailure {
  readonly status: number;
  /** Notion's own code; `unknown` where it has none. */
  readonly code: string;
  /** Of a rate limit: whose limit it is. */
  readonly reason: string | null;
  /** What nobody is to call for; null: no pause was asked for. */
  readonly pauseMs: number | null;
  /** False: a server in between answered (a proxy, a firewall, a wrong address). */
  readonly isNotions: boolean;
  /** May quote what was sent: neither logged nor stored. */
  readonly message: string;
  readonly requestId: string | null;
}

/** A rate limit or an overload without a Retry-After. */
const DEFAULT_PAUSE_MS = 1000;
/** No header can stop the sync for longer. */
const LONGEST_PAUSE_MS = 3_600_000;
/** It becomes a metric's label. */
const REASON = /^[a-z_]{1,40}$/;

export function httpFailureOf(
  error: APIResponseError | UnknownHTTPResponseError,
  now: Date,
): HttpFailure {
  const { status, additional_data: data, message } = error;
  const own = ownErrorIn(error.body);
  const reason = data?.['rate_limit_reason'];
  return {
    status,
    code: own ?? 'unknown',
    reason: typeof reason === 'string' && REASON.test(reason) ? reason : null,
    pauseMs: pauseMsOf(status, headerOf(error.headers, 'retry-after'), now),
    isNotions: own !== null,
    message,
    requestId: error.request_id ?? null,
  };
}

/** True of the answers that say: you, or everybody, ask too much. */
export function isOverload(status: number): boolean {
  return status === 429 || status === 529;
}

/** Seconds, or a date. */
function pauseMsOf(status: number, header: string | null, now: Date): number | null {
  const asked = header === null ? null : retryAfterMs(header, now);
  if (asked === null) return isOverload(status) ? DEFAULT_PAUSE_MS : null;
  if (!isOverload(status) && status < 500) return null;
  return Math.min(LONGEST_PAUSE_MS, asked);
}

function retryAfterMs(header: string, now: Date): number | null {
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

function headerOf(headers: unknown, name: string): string | null {
  return headers instanceof Headers ? headers.get(name) : null;
}

/** The code of an error in Notion's own form, also of one that is newer than the client. */
function ownErrorIn(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return null;
    if (!('object' in parsed) || parsed.object !== 'error' || !('code' in parsed)) return null;
    return typeof parsed.code === 'string' && REASON.test(parsed.code) ? parsed.code : 'unknown';
  } catch {
    return null;
  }
}

/** The connection was never made, so nothing can have arrived. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]);

/**
 * What a failed call means to its caller. A foreign error's message may quote what was sent, so
 * nothing of it is kept but codes and the name of a property.
 */
export function errorOf(error: unknown, subject: CallSubject, now: Date): ColloquyError {
  const fields = fieldsOf(subject);
  if (isHTTPResponseError(error)) return answered(httpFailureOf(error, now), subject, fields);
  if (error instanceof InvalidPathParameterError) {
    return new NotionRefusedError('this is no id of Notion', { fields });
  }
  const cause = codeOf(error);
  return new NotionUnavailableError(`Notion did not answer (${cause})`, {
    mayHaveArrived: !NEVER_CONNECTED.has(cause),
    fields,
  });
}

function answered(failure: HttpFailure, subject: CallSubject, call: ErrorFields): ColloquyError {
  const { status, code, reason, requestId } = failure;
  const fields = { ...call, status, notionCode: code, requestId };
  if (failure.pauseMs !== null) {
    return new NotionPausedError(`Notion asked for a pause (${reason ?? code})`, {
      retryAfterMs: failure.pauseMs,
      mayHaveArrived: !isOverload(status),
      fields: { ...fields, reason },
    });
  }
  if (status >= 500 || !failure.isNotions) {
    return new NotionUnavailableError(`Notion answered with status ${status}`, {
      mayHaveArrived: true,
      fields,
    });
  }
  if (status === 401) {
    return new NotionUnauthorizedError('Notion knows no such integration: see NOTION_TOKEN', {
      fields,
    });
  }
  if (status === 404 || isInTrash(failure)) {
    return new NotionNotFoundError('it is gone, or not shared with the integration', { fields });
  }
  if (status === 409) return new NotionConflictError('it was changed at the same time', { fields });
  return refused(failure, subject, fields);
}

function refused(failure: HttpFailure, subject: CallSubject, fields: ErrorFields): ColloquyError {
  const property = propertyIn(failure.message, subject.properties ?? []);
  const about = property === null ? '' : `, because of the property ${property}`;
  return new NotionRefusedError(`Notion refuses it (${failure.code})${about}`, {
    fields: { ...fields, property },
  });
}

/** A page in the trash is answered with a 400 that only its words tell from others. */
function isInTrash({ code, message }: HttpFailure): boolean {
  return code === 'validation_error' && message.startsWith("Can't edit block that is archived");
}

/** The one of our own properties that Notion speaks of; the longest, as one may contain another. */
function propertyIn(message: string, properties: readonly string[]): string | null {
  const named = properties.filter((name) => message.includes(name));
  return named.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** `fetch failed` says why in its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unreadable error';
  const { cause } = error;
  const carrier = typeof cause === 'object' && cause !== null ? cause : error;
  return 'code' in carrier && typeof carrier.code === 'string' ? carrier.code : error.name;
}
