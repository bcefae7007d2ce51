import type { Platform } from '../platform';

const LONG_MS = 30_000;

/** How long the page was out of sight: a phone may have slept meanwhile. */
export class PageSleep {
  private hiddenAtMs: number | null = null;

  constructor(private readonly clock: Pick<Platform, 'nowMs'>) {}

  /** Takes note of a change; true: the page is seen again after a long time. */
  hasBeenLong(isVisible: boolean): boolean {
    const nowMs = this.clock.nowMs();
    const hiddenMs = this.hiddenAtMs === null ? 0 : nowMs - this.hiddenAtMs;
    this.hiddenAtMs = isVisible ? null : nowMs;
    return isVisible && hiddenMs > LONG_MS;
  }
}
