import type { Platform } from '../platform';

const LONG_MS = 30_000;

/** How long the page was hidden: a phone may have slept meanwhile. */
export class PageSleep {
  private hiddenAtMs: number | null = null;

  constructor(private readonly clock: Pick<Platform, 'nowMs'>) {}

  /** Notes a change; returns true when the page is visible again after a long time. */
  hasBeenLong(isVisible: boolean): boolean {
    const nowMs = this.clock.nowMs();
    const hiddenMs = this.hiddenAtMs === null ? 0 : nowMs - this.hiddenAtMs;
    this.hiddenAtMs = isVisible ? null : nowMs;
    return isVisible && hiddenMs > LONG_MS;
  }
}
