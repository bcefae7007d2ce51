import type { Clock } from '../common/clock';
import { APIConnectionError, APIError, OpenAI } from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { ColloquyError } from '../common/errors';
import {
  outgoingFetch,
  outgoingStream,
  retryAfterMs,
  type StreamedResponse,
  type StreamRequest,
  wasNeverSent,
} from '../common/http';
import { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
import { classifyServerError, isErrorBody, type ServerError } from './server-error';

export interface ServerAddress {
  readonly apiKey: string;
  readonly baseUrl: string;
}

type Call = (address: string, init?: RequestInit) => Promise<Response>;

/** The client library, without its own retries, log and environment variables. */
export function openAiAt({ apiKey, baseUrl }: ServerAddress, call: Call = outgoingFetch): OpenAI {
  return new WholeErrorClient({
    apiKey,
    baseURL: baseUrl,
    maxRetries: 0,
    // It calls with the address as a text, never with a Request.
    fetch: (address, init) => call(address as string, init),
    // It logs events that it cannot parse, and those may contain a candidate's text.
    logLevel: 'off',
    // The library would read these from the environment, past the settings.
    organization: null,
    project: null,
    adminAPIKey: null,
  });
}

/**
 * The client library for requests whose response is read piece by piece: `responseTo` returns what
 * `outgoingStream` returned, which has all that the library reads of a Response.
 */
export class StreamingClient {
  private readonly openai: OpenAI;

  constructor(address: ServerAddress) {
    this.openai = openAiAt(address, async (url, init = {}) => {
      const response = await outgoingStream(url, init as StreamRequest);
      return response as unknown as Response;
    });
  }

  /** Throws as the library does for a response with another status than 2xx. */
  async responseTo(
    body: ChatCompletionCreateParamsStreaming,
    signal: AbortSignal,
  ): Promise<StreamedResponse> {
    const response = await this.openai.chat.completions.create(body, { signal }).asResponse();
    return response as unknown as StreamedResponse;
  }
}

/** The library keeps only `error` of an error's body; other servers put the reason elsewhere. */
class WholeErrorClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: object | undefined,
    text: string | undefined,
    headers: Headers,
  ): APIError {
    return new APIError(status, body ?? { message: text }, undefined, headers);
  }
}

/** Why a request ended: its caller, silence before or inside the response, or its total time. */
export type Trip = 'caller' | 'first_byte' | 'idle' | 'too_long';

interface ResponseDeadline {
  readonly untilMs: number;
  readonly trip: Trip;
}

interface Timer {
  readonly wakesAtMs: number;
  readonly end: AbortController;
}

/**
 * Limits the time of one request. `openai` times out only until the headers, and an aborted or
 * stalled stream ends or hangs without an error, so the watchdog remembers why a request ended.
 * Silence counts only while this process waits for the server, not while it waits for a slow
 * reader. `limitMs` counts from the beginning, because empty chunks would reset a limit on silence.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private readonly whole = new AbortController();
  /** Until when the server has to send something; null: no limit now. */
  private expected: ResponseDeadline | null = null;
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

  /** The request's signal. Aborts on any trip. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get trippedBy(): Trip | null {
    return this.tripped;
  }

  /** From now on the server has `ms` to send something. */
  expect(ms: number, trip: Trip): void {
    const untilMs = this.clock.monotonicMs() + ms;
    this.expected = { untilMs, trip };
    if (this.timer === null || this.timer.wakesAtMs > untilMs) this.wakeAt(untilMs);
  }

  /** The server sent something: no limit until the next `expect`. */
  pause(): void {
    this.expected = null;
  }

  /** Ends the watch, and the request if it still runs. */
  close(): void {
    this.pause();
    this.timer?.end.abort();
    this.whole.abort();
    this.caller.removeEventListener('abort', this.onCallerAbort);
    this.controller.abort();
  }

  /**
   * One timer for many chunks: it fires at the first limit and then sleeps until the last one. A
   * timer for each chunk took half of the time of a chunk.
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

/** A server's error in a response with status 200. Never leaves this room. */
export class ReportedError extends Error {
  constructor(readonly body: unknown) {
    super('the model server reported an error');
  }
}

/** The error that a thrown one stands for, with none of the server's text. */
export function failureOf(error: unknown, now: Date): ColloquyError {
  if (error instanceof ColloquyError) return error;
  const reported = serverErrorOf(error, now);
  if (reported !== null) return classifyServerError(reported);
  if (error instanceof APIConnectionError) {
    return new ModelUnavailableError('the model server cannot be reached', {
      mayConcernJobOnly: !wasNeverSent(error),
    });
  }
  const isNoJson = (error as { readonly name?: unknown } | null)?.name === 'SyntaxError';
  return new ModelFailure(isNoJson ? 'malformed' : 'cut');
}

/** What the server responded, if the error is its own; null: it is not. */
export function serverErrorOf(error: unknown, now: Date): ServerError | null {
  if (error instanceof ReportedError) return { body: error.body };
  if (!(error instanceof APIError) || error instanceof APIConnectionError) return null;
  const { status, error: body, headers } = error as APIError<number, Headers | undefined, object>;
  return { status, body, retryAfterMs: retryAfterMs(headers, now) };
}

/**
 * One request whose whole response comes at once. After an abort the library may end in any way, so
 * the watchdog is checked first. Closes the watchdog.
 */
export async function watched<T>(
  watch: Watchdog,
  request: () => Promise<T>,
  now: () => Date,
): Promise<T> {
  try {
    const result = await request();
    throwIfTripped(watch);
    return result;
  } catch (error) {
    throwIfTripped(watch);
    throw failureOf(error, now());
  } finally {
    watch.close();
  }
}

function throwIfTripped({ trippedBy }: Watchdog): void {
  if (trippedBy === null) return;
  if (trippedBy === 'caller') {
    throw new ModelAbortedError('the caller aborted the request to the model');
  }
  throw new ModelUnavailableError('the model server did not respond in time', {
    mayConcernJobOnly: true,
  });
}

/** Checks a body of status 200, which may be a web page or an error. */
export function assertBody(body: unknown): asserts body is object {
  if (typeof body === 'string') {
    throw new ModelUnavailableError(
      'the address of the model server serves no JSON; check OPENAI_BASE_URL',
      {
        mayConcernJobOnly: true,
      },
    );
  }
  if (typeof body !== 'object' || body === null) throw new ModelFailure('malformed');
  if (isErrorBody(body)) throw new ReportedError(body);
}
