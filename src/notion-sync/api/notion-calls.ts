import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { type JobFlow, callUnderLease } from '../../jobs';
import {
  NotionPausedError,
  NotionConflictError,
  NotionUnavailableError,
  NotionNotFoundError,
  NotionRefusedError,
} from './errors';
import { MAX_AWAITED_PAUSE_MS } from './limiter/limiter-timing';
import type { PermitHolder } from './limiter/notion-limiter';

/**
 * The calls of one run: each under the lease, retried where that may help, and counted. A run whose
 * first call gets no response ends at once, so that a board whose query always fails holds the only
 * worker for one call and not for all its tries.
 */
export class NotionCalls {
  private started = 0;
  private gotResponse = false;
  private earlier: NotionCalls | null = null;

  constructor(
    private readonly caller: Caller,
    private readonly retries: NotionRetries,
  ) {}

  /** Calls that have begun, retries included. */
  get count(): number {
    return this.started + (this.earlier?.count ?? 0);
  }

  /** Adds calls that were made ahead for this run. */
  adopt(earlier: NotionCalls): void {
    this.earlier = earlier;
  }

  /** Throws what the call does, and the reasons of the holder's signal and of `stop`. */
  make<T>(call: (holder: PermitHolder) => Promise<T>, options: CallOptions = {}): Promise<T> {
    const holder = this.holderOf(options);
    const signals = [this.caller.holder.signal, options.stop].filter((one) => one !== undefined);
    const lease = {
      assertLease: () => {
        this.caller.assertLease();
      },
      peerResponded: () => {
        this.gotResponse = true;
        this.caller.peerResponded();
      },
    };
    return this.retries.withRetries(
      () => {
        options.stop?.throwIfAborted();
        return callUnderLease(lease, () => call(holder), { isResponse: isNotionResponse });
      },
      { signal: AbortSignal.any(signals), mayRepeatOutage: () => this.mayRepeatOutage },
    );
  }

  private holderOf({ onBooked, stop }: CallOptions): PermitHolder {
    const { holder } = this.caller;
    return {
      ...holder,
      ...(onBooked === undefined ? {} : { onBooked }),
      lease: () => {
        stop?.throwIfAborted();
        return holder.lease?.() ?? null;
      },
      onStart: () => {
        // The permit may have taken long.
        this.caller.assertLease();
        this.started += 1;
      },
    };
  }

  /** For commands, which have no job that is retried later. */
  private get mayRepeatOutage(): boolean {
    return this.hasResponded || this.caller.holder.lease === undefined;
  }

  get hasResponded(): boolean {
    return this.gotResponse || this.earlier?.hasResponded === true;
  }
}

/** The caller of Notion: a run of the queue, or a command. */
export interface Caller {
  readonly holder: PermitHolder;
  /** See BoardFlow. */
  assertLease(): void;
  /** See BoardFlow. */
  peerResponded(): void;
}

/** Retries calls to Notion after temporary failures. Each try waits for its own permit. */
@Injectable()
export class NotionRetries {
  private readonly settings;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
  ) {
    this.settings = settings.notion;
  }

  /**
   * Throws the last error when further tries do not help. `isRepeatable: false` (a page is created): a
   * call that may have arrived is not repeated. `mayRepeatOutage` decides after a missing response;
   * false: the caller gives its job back instead.
   */
  async withRetries<T>(
    call: () => Promise<T>,
    {
      signal,
      isRepeatable = true,
      mayRepeatOutage = () => true,
    }: { signal?: AbortSignal; isRepeatable?: boolean; mayRepeatOutage?: () => boolean } = {},
  ): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await call();
      } catch (error) {
        if (retries === this.settings.maxRetries || !isTransient(error, isRepeatable)) throw error;
        if (error instanceof NotionUnavailableError && !mayRepeatOutage()) throw error;
        await this.clock.sleep(this.pauseMs(error, retries), signal);
        signal?.throwIfAborted();
      }
    }
  }

  /**
   * The same for a job: each try is made only while the job's lease holds, and every response of
   * Notion, also a refusal, is reported to the queue's breaker.
   */
  forJob<T>(
    flow: Pick<JobFlow, 'assertLease' | 'peerResponded' | 'signal'>,
    call: () => Promise<T>,
    options: { isRepeatable?: boolean; mayRepeatOutage?: () => boolean } = {},
  ): Promise<T> {
    const { signal } = flow;
    return this.withRetries(() => callUnderLease(flow, call, { isResponse: isNotionResponse }), {
      signal,
      ...options,
    });
  }

  /** 250 ms, 1 s, 2 s. The limiter waits for the pauses that Notion asks for. */
  private pauseMs(error: unknown, retries: number): number {
    if (error instanceof NotionPausedError) return 0;
    const { backoffInitialMs, backoffMaxMs } = this.settings;
    return Math.min(backoffMaxMs, backoffInitialMs * 4 ** retries);
  }
}

function isTransient(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof NotionConflictError) return true;
  if (!(error instanceof NotionPausedError) && !(error instanceof NotionUnavailableError)) {
    return false;
  }
  const isSafe = isRepeatable || !error.mayHaveArrived;
  return isSafe && (error.retryAfterMs ?? 0) <= MAX_AWAITED_PAUSE_MS;
}

export interface CallOptions {
  /** Called at each try when the call has its place in the limiter's queue. */
  readonly onBooked?: () => void;
  /** When it aborts, no further try begins; a running one goes on. */
  readonly stop?: AbortSignal;
}

/** Notion received the call and refused it. */
function isNotionResponse(error: unknown): boolean {
  return (
    error instanceof NotionRefusedError ||
    error instanceof NotionNotFoundError ||
    error instanceof NotionConflictError
  );
}

/** A command at a terminal, which holds no lease. */
export const NO_LEASE: Caller = {
  holder: {},
  assertLease: () => undefined,
  peerResponded: () => undefined,
};
