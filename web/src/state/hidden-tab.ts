import type { Platform } from '../platform';

const LONG_MS = 30_000;

/**
 * When this tab does without a stream of events. Over HTTP/1.1 a browser has six connections for all
 * tabs of a site, and each stream takes one: with six streams no tab could send, and no other could load.
 *
 *   shown ──> hidden ──30 s, or another tab opens a stream──> given up ──> shown
 *   hidden ──> shown: after a long time the stream may be dead, because a phone has slept
 */
export class HiddenTab {
  private hiddenAtMs: number | null = null;
  private hasGivenUp = false;
  private cancelWait: () => void = () => undefined;

  constructor(
    private readonly platform: Pick<Platform, 'nowMs' | 'wait' | 'tabs'>,
    /** Closes the stream. */
    private readonly giveUp: () => void,
  ) {
    if (!platform.tabs.isShown()) {
      this.hiddenAtMs = platform.nowMs();
      this.hasGivenUp = true;
    }
    platform.tabs.onOpened(() => {
      this.yieldStream();
    });
  }

  /** No stream may be opened before the tab is shown. */
  get isGivenUp(): boolean {
    return this.hasGivenUp;
  }

  /** Notes a change; returns true when the tab is shown and needs a fresh stream. */
  needsStream(isShown: boolean): boolean {
    this.cancelWait();
    const { hiddenAtMs, hasGivenUp } = this;
    if (!isShown) {
      this.hiddenAtMs ??= this.platform.nowMs();
      this.cancelWait = this.platform.wait(LONG_MS, () => {
        this.yieldStream();
      });
      return false;
    }
    this.hiddenAtMs = null;
    this.hasGivenUp = false;
    const hiddenMs = hiddenAtMs === null ? 0 : this.platform.nowMs() - hiddenAtMs;
    return hasGivenUp || hiddenMs > LONG_MS;
  }

  private yieldStream(): void {
    if (this.hiddenAtMs === null || this.hasGivenUp) return;
    this.hasGivenUp = true;
    this.cancelWait();
    this.giveUp();
  }
}
