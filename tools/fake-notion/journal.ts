import { CallJournal, type Open, type RecordedCall } from '../http-fake/journal';
import type { ApiVersion } from './http/versions';

export interface JournalEntry extends RecordedCall<object> {
  /** The monotonic time at which it came in. */
  readonly atMs: number;
  /** As the SDK names it: `queryDataSource`, `updatePage`, …; for another address its path. */
  readonly operation: string;
  /** Null: none, or an unknown one. */
  readonly version: ApiVersion | null;
}

export type OpenEntry = Open<JournalEntry>;

/** Calls of the REST API; their parameters are checked against the types of @notionhq/client. */
export class Journal extends CallJournal<JournalEntry> {
  constructor(onAdd: () => void) {
    super(({ operation }) => operation, onAdd);
  }

  /** The calls, refused ones too, that came in since this monotonic time. */
  countSince(atMs: number): number {
    const last = this.all.findLastIndex((entry) => entry.atMs < atMs);
    return this.all.length - 1 - last;
  }

  /** The most calls, refused ones too, that came in any time of this length. */
  mostWithin(ms: number): number {
    let first = 0;
    let most = 0;
    this.all.forEach(({ atMs }, last) => {
      while (atMs - (this.all[first]?.atMs ?? atMs) >= ms) first += 1;
      most = Math.max(most, last - first + 1);
    });
    return most;
  }
}
