import type { ApiVersion } from './http/versions';
import type { Params } from './schema/call-schema';

/** How a call ended, as its sender saw it. */
export type Outcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'answered'; readonly status: number; readonly body: object }
  /** An injected body that is not Notion's. */
  | { readonly kind: 'garbled'; readonly status: number }
  /** The connection was cut, by a fault or by the caller. */
  | { readonly kind: 'dropped'; readonly by: 'server' | 'caller' };

/** One call as it came in. */
export interface JournalEntry {
  readonly at: Date;
  /** Of the clock that never jumps. */
  readonly atMs: number;
  /** As the SDK names it: `queryDataSource`, `updatePage`, …; for another address its path. */
  readonly operation: string;
  /** Of the path, the query and the body, as the SDK takes them. */
  readonly params: Params;
  /** Null: none, or one that there is not. */
  readonly version: ApiVersion | null;
  /** What is wrong with the parameters, one line each. */
  readonly violations: readonly string[];
  /** Whether the call did what it asks for, whatever its caller saw. */
  readonly hadEffect: boolean;
  readonly outcome: Outcome;
}

/** The part of an entry that becomes known later. */
export type OpenEntry = { -readonly [Key in keyof JournalEntry]: JournalEntry[Key] };

/** Every call that the server got, oldest first. */
export class Journal {
  private readonly entries: OpenEntry[] = [];

  /** `onAdd` is called when a call has come in. */
  constructor(private readonly onAdd: () => void) {}

  get all(): readonly JournalEntry[] {
    return this.entries;
  }

  calls(operation: string): readonly JournalEntry[] {
    return this.entries.filter((entry) => entry.operation === operation);
  }

  /** Calls that were answered with an error, with this status if one is given. */
  refused(status?: number): readonly JournalEntry[] {
    return this.entries.filter(({ outcome }) => {
      if (outcome.kind !== 'answered' || outcome.status < 400) return false;
      return status === undefined || outcome.status === status;
    });
  }

  /** Calls that the SDK's types do not allow, each in a line: `updatePage: the call has no …`. */
  get violations(): readonly string[] {
    return this.entries.flatMap(({ operation, violations }) =>
      violations.map((violation) => `${operation}: ${violation}`),
    );
  }

  /** The most calls, refused ones too, that came in any time of this length. */
  mostWithin(ms: number): number {
    let first = 0;
    let most = 0;
    this.entries.forEach(({ atMs }, last) => {
      while (atMs - (this.entries[first]?.atMs ?? atMs) >= ms) first += 1;
      most = Math.max(most, last - first + 1);
    });
    return most;
  }

  clear(): void {
    this.entries.length = 0;
  }

  add(entry: OpenEntry): void {
    this.entries.push(entry);
    this.onAdd();
  }
}
