import type { Update } from '@grammyjs/types';
import type { Clock } from '../../../src/common/clock';
import { ApiError } from '../api-error';
import type { TelegramState } from '../state/telegram-state';

export interface PollParams {
  readonly offset?: number;
  readonly limit?: number;
  /** In seconds; the server waits at most 50. */
  readonly timeout?: number;
}

const LONGEST_S = 50;
const MOST = 100;

/**
 * getUpdates. One caller at a time: a second one ends the first with 409, as the Bot API does, and
 * takes its place.
 */
export class LongPoll {
  private endOpen: ((error: ApiError) => void) | null = null;

  constructor(
    private readonly state: TelegramState,
    private readonly clock: Clock,
  ) {}

  /** Whether a caller waits for an update now. */
  get isOpen(): boolean {
    return this.endOpen !== null;
  }

  /** `gone` aborts when the caller has closed the connection: then nothing is confirmed for it. */
  async take(params: PollParams, gone: AbortSignal): Promise<readonly Update[]> {
    this.end(
      'terminated by other getUpdates request; make sure that only one bot instance is running',
    );
    const offset = params.offset ?? 0;
    const limit = Math.min(Math.max(1, params.limit ?? MOST), MOST);
    const waitMs = Math.min(Math.max(0, params.timeout ?? 0), LONGEST_S) * 1000;
    const found = this.state.updates.from(offset, limit);
    if (found.length > 0 || waitMs === 0) return found;
    await this.wait(waitMs, gone);
    // What came in the meantime; a negative offset was used up before the wait.
    return gone.aborted ? [] : this.state.updates.from(Math.max(0, offset), limit);
  }

  /** Ends the open call with 409. */
  end(reason: string): void {
    this.endOpen?.(ApiError.conflict(reason));
  }

  private async wait(waitMs: number, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    const stop = new AbortController();
    const { changes, updates } = this.state;
    let stopListening = (): void => undefined;
    const arrival = new Promise<void>((resolve) => {
      stopListening = changes.listen(() => {
        if (updates.all().length > 0) resolve();
      });
    });
    const end = new Promise<never>((_, reject) => {
      this.endOpen = reject;
    });
    const mine = this.endOpen;
    const onGone = (): void => {
      stop.abort();
    };
    gone.addEventListener('abort', onGone, { once: true });
    changes.notify();
    try {
      await Promise.race([arrival, end, this.clock.sleep(waitMs, stop.signal)]);
    } finally {
      gone.removeEventListener('abort', onGone);
      stopListening();
      stop.abort();
      if (this.endOpen === mine) this.endOpen = null;
    }
  }
}
