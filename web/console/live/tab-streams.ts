/**
 * The streams of this tab, which are given up together while it is hidden for long, and opened again when it is shown
 * (`HiddenTab` says when). Each one learns from its beginning what it has missed.
 */
import type { Platform } from '../../src/platform';
import { HiddenTab } from '../../src/state/hidden-tab';

interface TabStream {
  /** Opens it, or replaces it by a fresh connection. */
  readonly open: () => void;
  readonly close: () => void;
}

export class TabStreams {
  private readonly streams = new Set<TabStream>();
  private readonly tab: HiddenTab;

  constructor(private readonly platform: Pick<Platform, 'nowMs' | 'wait' | 'tabs'>) {
    this.tab = new HiddenTab(platform, () => {
      for (const stream of this.streams) stream.close();
    });
  }

  /** Opens the stream as soon as the tab is shown. The returned function ends it. */
  add(stream: TabStream): () => void {
    this.streams.add(stream);
    if (!this.tab.isGivenUp) this.open(stream);
    return () => {
      this.streams.delete(stream);
      stream.close();
    };
  }

  /** No stream may be opened before the tab is shown. */
  get isGivenUp(): boolean {
    return this.tab.isGivenUp;
  }

  visibilityChanged(): void {
    if (!this.tab.needsStream(this.platform.tabs.isShown())) return;
    for (const stream of this.streams) this.open(stream);
  }

  private open(stream: TabStream): void {
    this.platform.tabs.sayOpened();
    stream.open();
  }
}
