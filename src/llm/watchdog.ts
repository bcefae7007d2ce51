import type { Clock } from '../common/clock';

/** Who ended a request: its caller, the silence before or inside the reply, or its own length. */
export type Trip = 'caller' | 'first_byte' | 'idle' | 'too_long';

/**
 * Watches one request. `openai` times out only until the headers, and an aborted or stalled stream
 * ends or hangs without a word: so what ended a request is remembered here and asked afterwards.
 * Silence counts only while we wait for the server, never while a slow reader of the reply holds us;
 * `limitMs` counts from the begin on, whatever is sent: empty chunks are no silence, and no reply.
 */
export class Watchdog {
  private readonly controller = new AbortController();
  private timer = new AbortController();
  private readonly whole = new AbortController();
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
    this.rest();
    const timer = new AbortController();
    this.timer = timer;
    this.tripAfter(ms, trip, timer.signal);
  }

  /** The server spoke; nothing is expected of it until the next `expect`. */
  rest(): void {
    this.timer.abort();
  }

  /** Ends the watch and the request, whatever is left of it. */
  close(): void {
    this.rest();
    this.whole.abort();
    this.caller.removeEventListener('abort', this.onCallerAbort);
    this.controller.abort();
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
