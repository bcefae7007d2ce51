import { InvalidPathParameterError, isHTTPResponseError } from '@notionhq/client';
import type { ColloquyError, ErrorFields } from '../../common/errors';
import { NotionPausedError } from '../limiter/paused-error';
import { type CallSubject, fieldsOf } from './call-subject';
import {
  NotionConflictError,
  NotionNotFoundError,
  NotionRefusedError,
  NotionUnauthorizedError,
  NotionUnavailableError,
} from './errors';
import { type HttpFailure, httpFailureOf, isOverload } from './http-failure';

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
