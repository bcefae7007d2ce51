import { APIConnectionError, APIError, OpenAI } from 'openai';
import { ColloquyError } from '../common/errors';
import { classifyServerError } from './classify';
import { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
import { retryAfterMs } from './retry-after';
import type { Watchdog } from './watchdog';

export interface ServerAddress {
  readonly apiKey: string;
  readonly baseUrl: string;
}

type ServerApiError = APIError<number | undefined, Headers | undefined, object | undefined>;

/** The server's library, without its own retries, its log and its look into the environment. */
export function openAiAt({ apiKey, baseUrl }: ServerAddress): OpenAI {
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    // It logs events that it cannot parse, and those hold what a candidate wrote.
    logLevel: 'off',
    // Otherwise read from the environment behind the settings' back.
    organization: null,
    project: null,
    adminAPIKey: null,
  });
}

/** What a thrown error means, in words of ours alone. */
export function failureOf(error: unknown, now: Date): ColloquyError {
  if (error instanceof ColloquyError) return error;
  if (error instanceof APIConnectionError) {
    return new ModelUnavailableError('the model server cannot be reached', {
      mayConcernTaskOnly: !NEVER_CONNECTED.has(connectionCodeOf(error)),
    });
  }
  if (isServerError(error)) {
    return classifyServerError({
      status: error.status,
      body: error.error,
      retryAfterMs: retryAfterMs(error.headers, now),
    });
  }
  const isNoJson = (error as { readonly name?: unknown } | null)?.name === 'SyntaxError';
  return new ModelFailure(isNoJson ? 'malformed' : 'cut');
}

/** Of a connection that was never made. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** `fetch failed` says why in its cause, which the library keeps as a cause in turn. */
function connectionCodeOf(error: Error): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

export function isServerError(error: unknown): error is ServerApiError {
  return error instanceof APIError && !(error instanceof APIConnectionError);
}

/**
 * One request whose whole answer comes at once. A library that was aborted may end in any way, so
 * the watch is asked first. Closes the watch.
 */
export async function watched<T>(
  watch: Watchdog,
  request: () => Promise<T>,
  now: () => Date,
): Promise<T> {
  try {
    const answer = await request();
    failIfTripped(watch);
    return answer;
  } catch (error) {
    failIfTripped(watch);
    throw failureOf(error, now());
  } finally {
    watch.close();
  }
}

function failIfTripped({ trippedBy }: Watchdog): void {
  if (trippedBy === null) return;
  if (trippedBy === 'caller') {
    throw new ModelAbortedError('the request to the model was ended by its caller');
  }
  throw new ModelUnavailableError('the model server did not answer in time', {
    mayConcernTaskOnly: true,
  });
}

/** A body with status 200, which promises little: it may be a web page or an error. */
export function assertBody(body: unknown): asserts body is object {
  if (typeof body === 'string') {
    throw new ModelUnavailableError('something else answers at the address of the model server', {
      mayConcernTaskOnly: true,
    });
  }
  if (typeof body !== 'object' || body === null) throw new ModelFailure('malformed');
  if ('error' in body && body.error !== null && body.error !== undefined) {
    throw classifyServerError({ body: body.error });
  }
}
