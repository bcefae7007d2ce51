import type { StreamSignal } from '../../../streams';

/** What happened since a reader last looked. */
export interface WakeReasons {
  readonly text: boolean;
  readonly rows: boolean;
}

const NOTHING: WakeReasons = { text: false, rows: false };

/**
 * Wakes one reader. Rings are merged: one look serves them all. It has no timer and no queue, so
 * an idle reader costs next to nothing.
 */
export class WakeSignal {
  /**
   * The reader waits for something that must come: it reads the rows again after this long, even
   * if no ring came. Null: it waits for nothing in particular.
   */
  lookAgainMs: number | null = null;
  private rang = NOTHING;
  private wake: (() => void) | null = null;
  private isOver = false;
  private lastTickMs: number | null = null;

  ring(signal: StreamSignal): void {
    if (!this.rang[signal]) this.rang = { ...this.rang, [signal]: true };
    this.rouse();
  }

  /** Called every second or so by whoever tends all streams. */
  tick(nowMs: number): void {
    this.lastTickMs ??= nowMs;
    if (this.lookAgainMs === null || nowMs - this.lastTickMs < this.lookAgainMs) return;
    this.lastTickMs = nowMs;
    this.ring('rows');
  }

  /** The connection is gone: nobody waits any more. */
  fallSilent(): void {
    this.isOver = true;
    this.rouse();
  }

  /** Waits for a ring, or for the end of the connection; answers what rang, and forgets it. */
  async wait(): Promise<WakeReasons> {
    if (this.rang === NOTHING && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const { rang } = this;
    this.rang = NOTHING;
    return rang;
  }

  private rouse(): void {
    this.wake?.();
    this.wake = null;
  }
}
