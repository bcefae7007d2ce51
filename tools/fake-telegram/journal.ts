import type { ApiResponse } from '@grammyjs/types';
import type { Params } from './schema/call-schema';

/** How a call ended, as its sender saw it. */
export type Outcome =
  | { readonly kind: 'pending' }
  | { readonly kind: 'answered'; readonly status: number; readonly body: ApiResponse<unknown> }
  /** An injected body that is not the Bot API's. */
  | { readonly kind: 'garbled'; readonly status: number }
  /** The connection was cut, by a fault or by the caller. */
  | { readonly kind: 'dropped'; readonly by: 'server' | 'caller' };

/** One call as it came in. */
export interface JournalEntry {
  readonly at: Date;
  readonly method: string;
  readonly params: Params;
  /** Names of the uploaded files. */
  readonly uploads: readonly string[];
  /** What is wrong with the parameters, one line each. */
  readonly violations: readonly string[];
  /** Whether the call did what it asks for, whatever its caller saw. */
  readonly hadEffect: boolean;
  readonly outcome: Outcome;
}

/** The part of an entry that becomes known later. */
export type OpenEntry = {
  -readonly [Key in keyof JournalEntry]: JournalEntry[Key];
};

/** Every call that the server got, oldest first. */
export class Journal {
  private readonly entries: OpenEntry[] = [];

  /** `onAdd` is called when a call has come in. */
  constructor(private readonly onAdd: () => void) {}

  get all(): readonly JournalEntry[] {
    return this.entries;
  }

  /** Calls of one method. */
  calls(method: string): readonly JournalEntry[] {
    return this.entries.filter((entry) => entry.method === method);
  }

  /** Calls that were answered with an error, with this status if one is given. */
  refused(code?: number): readonly JournalEntry[] {
    return this.entries.filter(({ outcome }) => {
      if (outcome.kind !== 'answered' || outcome.body.ok) return false;
      return code === undefined || outcome.body.error_code === code;
    });
  }

  /** Calls that @grammyjs/types does not allow, each in a line: `sendMessage: the call must …`. */
  get violations(): readonly string[] {
    return this.entries.flatMap(({ method, violations }) =>
      violations.map((violation) => `${method}: ${violation}`),
    );
  }

  clear(): void {
    this.entries.length = 0;
  }

  add(entry: OpenEntry): void {
    this.entries.push(entry);
    this.onAdd();
  }
}
