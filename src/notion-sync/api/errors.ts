import { ColloquyError, type ErrorFields } from '../../common/errors';
import { failureCodeOf, retryAfterMs, wasNeverSent } from '../../common/http';
import { PeerUnavailableError } from '../../jobs';
import {
  type APIResponseError,
  type UnknownHTTPResponseError,
  InvalidPathParameterError,
  isHTTPResponseError,
} from '@notionhq/client';

/** No response of Notion, or an unusable one: try again, then give the job back. */
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

/** Notion does not know the token (any more); an operator has to act. */
export class NotionUnauthorizedError extends PeerUnavailableError {
  override readonly code = 'notion_unauthorized';
}

/** Another client changed the same object at the same time: try again. */
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
 * This call will never succeed: a property is missing or has another type, or the integration lacks a
 * right. `fields` name the page or data source and, if known, the property.
 */
export class NotionRefusedError extends ColloquyError {
  readonly code = 'notion_refused';
  readonly retryable = false;
}

/** Notion asks for a pause: 429, 529, or a Retry-After. Give the job back. */
export class NotionPausedError extends PeerUnavailableError {
  override readonly code = 'notion_paused';
  /** False: the call was not made, or Notion counted it without effect. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { retryAfterMs: number; mayHaveArrived: boolean; fields?: ErrorFields },
  ) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** Whether Notion may have carried out a call that ended with this error. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof NotionUnavailableError || error instanceof NotionPausedError) {
    return error.mayHaveArrived;
  }
  return !(
    error instanceof NotionRefusedError ||
    error instanceof NotionNotFoundError ||
    error instanceof NotionUnauthorizedError ||
    error instanceof NotionConflictError
  );
}

/** The fields of an HTTP error response that decide what to do. */
export interface HttpFailure {
  readonly status: number;
  /** Notion's error code; `unknown` without one. */
  readonly code: string;
  /** The reason of a rate limit: whose limit it is. */
  readonly reason: string | null;
  /** The pause in milliseconds; null: none was asked for. */
  readonly pauseMs: number | null;
  /** False: another server responded (a proxy, a firewall, a wrong address). */
  readonly isNotions: boolean;
  /** It may quote the request, so it is neither logged nor stored. */
  readonly message: string;
  readonly requestId: string | null;
}

/** A rate limit or an overload without a Retry-After. */
const DEFAULT_PAUSE_MS = 1000;
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
    pauseMs: pauseMsOf(status, error.headers, now),
    isNotions: own !== null,
    message,
    requestId: error.request_id ?? null,
  };
}

/** Whether the response reports too many requests, by this integration or by everybody. */
export function isOverload(status: number): boolean {
  return status === 429 || status === 529;
}

function pauseMsOf(status: number, headers: unknown, now: Date): number | null {
  const asked = areHeaders(headers) ? retryAfterMs(headers, now) : undefined;
  if (asked === undefined) return isOverload(status) ? DEFAULT_PAUSE_MS : null;
  return isOverload(status) || status >= 500 ? asked : null;
}

/** Of whichever class: those of a response are undici's and not the global ones. */
function areHeaders(value: unknown): value is Headers {
  return typeof value === 'object' && value !== null && 'get' in value;
}

/** The code of a Notion error, even if the client library does not know it; null: not Notion's. */
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

/** A call as it may be logged: ids and names of properties, never a value. */
export interface CallSubject {
  readonly endpoint:
    | 'query_data_source'
    | 'retrieve_data_source'
    | 'retrieve_page'
    | 'retrieve_page_property'
    | 'update_page'
    | 'create_page'
    | 'who_am_i'
    | 'list_users'
    | 'add_property';
  readonly pageId?: string;
  readonly dataSourceId?: string;
  /** Names of the properties in the call. */
  readonly properties?: readonly string[];
}

export function fieldsOf({ endpoint, pageId, dataSourceId }: CallSubject): ErrorFields {
  return {
    endpoint,
    ...(pageId === undefined ? {} : { pageId }),
    ...(dataSourceId === undefined ? {} : { dataSourceId }),
  };
}

/**
 * Classifies a failed call. A foreign error message may quote the request, so only codes and the name
 * of a property are taken from it.
 */
export function errorOf(error: unknown, subject: CallSubject, now: Date): ColloquyError {
  const fields = fieldsOf(subject);
  if (isHTTPResponseError(error)) return ofResponse(httpFailureOf(error, now), subject, fields);
  if (error instanceof InvalidPathParameterError) {
    return new NotionRefusedError('this is not an id of Notion', { fields });
  }
  const cause = failureCodeOf(error) ?? (error instanceof Error ? error.name : 'unreadable error');
  return new NotionUnavailableError(`Notion did not respond (${cause})`, {
    mayHaveArrived: !wasNeverSent(error),
    fields,
  });
}

function ofResponse(failure: HttpFailure, subject: CallSubject, call: ErrorFields): ColloquyError {
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
    return new NotionUnavailableError(`Notion responded with status ${status}`, {
      mayHaveArrived: true,
      fields,
    });
  }
  if (status === 401) {
    return new NotionUnauthorizedError(
      'NOTION_TOKEN is not the token of an integration that Notion knows: ' +
        "copy it from the integration's page in Notion.",
      { fields },
    );
  }
  if (status === 404 || isInTrash(failure)) {
    return new NotionNotFoundError(
      'the page or data source is gone, or not shared with the integration',
      { fields },
    );
  }
  if (status === 409)
    return new NotionConflictError('the page was changed at the same time', { fields });
  return refused(failure, subject, fields);
}

function refused(failure: HttpFailure, subject: CallSubject, fields: ErrorFields): ColloquyError {
  const property = propertyIn(failure.message, subject.properties ?? []);
  const about = property === null ? '' : `, because of the property ${property}`;
  return new NotionRefusedError(`Notion refuses the call (${failure.code})${about}`, {
    fields: { ...fields, property },
  });
}

/** For a page in the trash, Notion sends a 400 that differs from others only in its message. */
function isInTrash({ code, message }: HttpFailure): boolean {
  return code === 'validation_error' && message.startsWith("Can't edit block that is archived");
}

/** The property of ours that the message names; the longest, because one name may contain another. */
function propertyIn(message: string, properties: readonly string[]): string | null {
  const named = properties.filter((name) => message.includes(name));
  return named.sort((a, b) => b.length - a.length)[0] ?? null;
}
