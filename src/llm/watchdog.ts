import type { Clock } from '../common/clock';

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
