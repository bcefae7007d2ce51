/** How a call ended, as its sender saw it. */
export type CallOutcome<Body> =
  | { readonly kind: 'pending' }
  | { readonly kind: 'responded'; readonly status: number; readonly body: Body }
  /** A scripted body that does not follow the server's protocol. */
  | { readonly kind: 'garbled'; readonly status: number }
  /** The connection was cut, by a fault or by the caller. */
  | { readonly kind: 'dropped'; readonly by: 'server' | 'caller' };

/** One call as it came in. */
export interface RecordedCall<Body> {
  readonly at: Date;
  readonly params: Readonly<Record<string, unknown>>;
  /** What is wrong with the parameters, one line each. */
  readonly violations: readonly string[];
  /** Whether the call took effect, even if its caller got no response. */
  readonly hadEffect: boolean;
  readonly outcome: CallOutcome<Body>;
}

/** An entry of a call that is still running. */
export type Open<Entry> = { -readonly [Key in keyof Entry]: Entry[Key] };

/** Every call that a fake server got, oldest first. */
export class CallJournal<Entry extends RecordedCall<unknown>> {
  private readonly entries: Open<Entry>[] = [];

  /** `nameOf`: the method or operation of a call. `onAdd` is called when a call has come in. */
  constructor(
    private readonly nameOf: (entry: Entry) => string,
    private readonly onAdd: () => void,
  ) {}

  get all(): readonly Entry[] {
    return this.entries;
  }

  /** The calls of one method or operation. */
  calls(name: string): readonly Entry[] {
    return this.all.filter((entry) => this.nameOf(entry) === name);
  }

  /** The calls that got an error, with this HTTP status if one is given. */
  refused(status?: number): readonly Entry[] {
    return this.all.filter(({ outcome }) => {
      if (outcome.kind !== 'responded' || outcome.status < 400) return false;
      return status === undefined || outcome.status === status;
    });
  }

  /** Violations of the protocol's types, one per line: `sendMessage: the call must …`. */
  get violations(): readonly string[] {
    return this.all.flatMap((entry) =>
      entry.violations.map((violation) => `${this.nameOf(entry)}: ${violation}`),
    );
  }

  clear(): void {
    this.entries.length = 0;
  }

  add(entry: Open<Entry>): void {
    this.entries.push(entry);
    this.onAdd();
  }
}
