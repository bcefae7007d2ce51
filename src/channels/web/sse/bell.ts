import type { StreamSignal } from '../../../streams';

/** What happened since a reader last looked. Rings are merged: one look serves them all. */
export class Bell {
  private rang = { text: false, rows: false };
  private wake: (() => void) | null = null;

  constructor(private readonly closed: AbortSignal) {
    closed.addEventListener(
      'abort',
      () => {
        this.wake?.();
      },
      { once: true },
    );
  }

  ring(signal: StreamSignal): void {
    this.rang[signal] = true;
    this.wake?.();
  }

  /** Waits for a ring, or for the end of the connection; answers what rang, and forgets it. */
  async wait(): Promise<{ readonly text: boolean; readonly rows: boolean }> {
    if (!this.rang.text && !this.rang.rows && !this.closed.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      this.wake = null;
    }
    const rang = this.rang;
    this.rang = { text: false, rows: false };
    return rang;
  }
}
