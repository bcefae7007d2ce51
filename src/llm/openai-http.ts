import type { Clock } from '../common/clock';
import { APIConnectionError, APIError, OpenAI } from 'openai';
import { ColloquyError } from '../common/errors';
import {
  classifyServerError,
  ModelAbortedError,
  ModelFailure,
  ModelUnavailableError,
} from './errors';

const LONGEST_MS = 3_600_000;

/**
 * The pause that a server asks for, in milliseconds: `retry-after-ms`, or `retry-after` in seconds
 * or as a date (counted from the server's own `date`, so that clocks need not agree). Undefined
 * when it asks for none or says something unreadable; never more than an hour.
 */
export function retryAfterMs(headers: Headers | undefined, now: Date): number | undefined {
  const millis = numberOf(headers?.get('retry-after-ms'));
  if (millis !== undefined) return bounded(millis);
  const raw = headers?.get('retry-after');
  const seconds = numberOf(raw);
  if (seconds !== undefined) return bounded(seconds * 1000);
  const at = dateOf(raw);
  return at === undefined
    ? undefined
    : bounded(at - (dateOf(headers?.get('date')) ?? now.getTime()));
}

/** An HTTP date only: Date.parse takes `-5` for one. */
function dateOf(raw: string | null | undefined): number | undefined {
  const at = /^[a-z]{3,9}, .+ GMT$/i.test(raw?.trim() ?? '') ? Date.parse(raw ?? '') : NaN;
  return Number.isNaN(at) ? undefined : at;
}

function numberOf(raw: string | null | undefined): number | undefined {
  return raw !== null && raw !== undefined && /^\d+(\.\d+)?$/.test(raw.trim())
    ? Number(raw)
    : undefined;
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 0), LONGEST_MS);
}

/** Who ended a request: its caller, the silence before or inside the reply, or its own length. */
export type Trip = 'caller' | 'first_byte' | 'idle' | 'too_long';

interface Expected {
  readonly untilMs: number;
  readonly trip: Trip;
}

interface Timer {
  readonly wakesAtMs: number;
  readonly end: AbortController;
}

/**
 * Watches one request. `openai` times out only until the headers, and an aborted or stalled stream
 * ends or hangs without a word: so what ended a request is remembered here and asked afterwards.
 * Silence counts only while we wait for the server, never while a slow reader of the reply holds us;
 * `limitMs` counts from the begin on, whatever is sent: empty chunks are no silence, and no reply.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private readonly whole = new AbortController();
  /** What the server is expected to do, and until when; null: nothing. */
  private expected: Expected | null = null;
  private timer: Timer | null = null;
  private tripped: Trip | null = null;
  private readonly onCallerAbort = (): void => {
    this.trip('caller');
  };

  constructor(
    private readonly clock: Clock,
    private readonly caller: AbortSignal,
    limitMs: number,
  ) {
    this.tripAfter(limitMs, 'too_long', this.whole.signal);
    if (caller.aborted) this.trip('caller');
    else caller.addEventListener('abort', this.onCallerAbort, { once: true });
  }

  /** Aborts on any trip: the request's signal. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get trippedBy(): Trip | null {
    return this.tripped;
  }

  /** From now on the server has `ms` to say something. */
  expect(ms: number, trip: Trip): void {
    const untilMs = this.clock.monotonicMs() + ms;
    this.expected = { untilMs, trip };
    if (this.timer === null || this.timer.wakesAtMs > untilMs) this.wakeAt(untilMs);
  }

  /** The server spoke; nothing is expected of it until the next `expect`. */
  rest(): void {
    this.expected = null;
  }

  /** Ends the watch and the request, whatever is left of it. */
  close(): void {
    this.rest();
    this.timer?.end.abort();
    this.whole.abort();
    this.caller.removeEventListener('abort', this.onCallerAbort);
    this.controller.abort();
  }

  /**
   * One timer for many expectations: it goes off at the first and then sleeps on to the last. One
   * for each chunk of a reply was half of what a chunk cost.
   */
  private wakeAt(atMs: number): void {
    this.timer?.end.abort();
    const timer: Timer = { wakesAtMs: atMs, end: new AbortController() };
    this.timer = timer;
    void this.clock.sleep(atMs - this.clock.monotonicMs(), timer.end.signal).then(() => {
      if (this.timer !== timer || timer.end.signal.aborted) return;
      this.timer = null;
      const { expected } = this;
      if (expected === null) return;
      if (this.clock.monotonicMs() >= expected.untilMs) this.trip(expected.trip);
      else this.wakeAt(expected.untilMs);
    });
  }

  private tripAfter(ms: number, trip: Trip, unless: AbortSignal): void {
    void this.clock.sleep(ms, unless).then(() => {
      if (!unless.aborted) this.trip(trip);
    });
  }

  private trip(trip: Trip): void {
    this.tripped ??= trip;
    this.controller.abort();
  }
}

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
      mayConcernJobOnly: !NEVER_CONNECTED.has(connectionCodeOf(error)),
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
    mayConcernJobOnly: true,
  });
}

/** A body with status 200, which promises little: it may be a web page or an error. */
export function assertBody(body: unknown): asserts body is object {
  if (typeof body === 'string') {
    throw new ModelUnavailableError('something else answers at the address of the model server', {
      mayConcernJobOnly: true,
    });
  }
  if (typeof body !== 'object' || body === null) throw new ModelFailure('malformed');
  if ('error' in body && body.error !== null && body.error !== undefined) {
    throw classifyServerError({ body: body.error });
  }
}
