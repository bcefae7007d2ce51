import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { NotionPausedError } from '../limiter/paused-error';
import { PATIENCE_MS } from '../limiter/timing';
import { NotionConflictError, NotionUnavailableError } from './errors';

/** Calls of Notion that failed in passing, again: each try waits for a permit of its own. */
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
   * Throws the last error, unless another try helps. `isRepeatable: false` (a page is created):
   * a call that may have arrived is not made again. `mayRepeatOutage` is asked when Notion did not
   * answer; false: whoever calls does better to come back later.
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
        if (retries === this.settings.maxTries || !mayPass(error, isRepeatable)) throw error;
        if (error instanceof NotionUnavailableError && !mayRepeatOutage()) throw error;
        await this.clock.sleep(this.pauseMs(error, retries), signal);
        signal?.throwIfAborted();
      }
    }
  }

  /** 250 ms, 1 s, 2 s. A pause that Notion asked for is the limiter's. */
  private pauseMs(error: unknown, retries: number): number {
    if (error instanceof NotionPausedError) return 0;
    const { backoffInitialMs, backoffMaxMs } = this.settings;
    return Math.min(backoffMaxMs, backoffInitialMs * 4 ** retries);
  }
}

function mayPass(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof NotionConflictError) return true;
  if (!(error instanceof NotionPausedError) && !(error instanceof NotionUnavailableError)) {
    return false;
  }
  const isSafe = isRepeatable || !error.mayHaveArrived;
  return isSafe && (error.retryAfterMs ?? 0) <= PATIENCE_MS;
}
