/**
 * What the queue of boards must do, in as few words as possible, for one worker. A person's board
 * has a `version`, raised by each change; a run sees the version of its begin.
 */
export interface ModelRow {
  /** Rows of a person run in this order. */
  readonly order: number;
  readonly user: string;
  state: 'open' | 'retry' | 'running';
  /** Of a running row: its lease's end. */
  dueMs: number;
  readonly firstMs: number;
  failures: number;
}

export const QUIET = { leastMs: 10_000, mostMs: 15_000, maxWaitMs: 60_000 };
const [FEW, MANY] = [5, 20];

export class QueueModel {
  nowMs = 0;
  rows: ModelRow[] = [];
  readonly version = new Map<string, number>();
  /** The version that a run which ended well has seen. */
  readonly ranked = new Map<string, number>();
  private seen = 0;
  private orders = 0;

  get running(): ModelRow | undefined {
    return this.rows.find(({ state }) => state === 'running');
  }

  of(user: string, state: ModelRow['state']): ModelRow | undefined {
    return this.rows.find((row) => row.user === user && row.state === state);
  }

  change(user: string): void {
    this.version.set(user, (this.version.get(user) ?? 0) + 1);
    const dueMs = this.nowMs + this.quietMs();
    const retry = this.of(user, 'retry');
    if (retry !== undefined) retry.dueMs = Math.min(retry.dueMs, dueMs);
    const open = this.of(user, 'open');
    if (open === undefined) this.open(user, dueMs);
    else if (open.dueMs > this.nowMs) open.dueMs = Math.min(dueMs, open.firstMs + QUIET.maxWaitMs);
  }

  sweep(user: string): void {
    if (!this.rows.some((row) => row.user === user)) this.open(user, this.nowMs);
  }

  /** Who may be claimed: everybody who became ready at the earliest time of all. */
  next(): ModelRow[] {
    if (this.running !== undefined) return [];
    const ready = this.rows.filter((row) => row.dueMs <= this.nowMs && this.isFirst(row));
    const earliest = Math.min(...ready.map(({ dueMs }) => dueMs));
    return ready.filter(({ dueMs }) => dueMs === earliest);
  }

  /** A claim, or the takeover of a run whose process is gone; its query comes next. */
  begin(row: ModelRow, leaseMs: number): void {
    this.rows = this.rows.filter((other) => other.user !== row.user || other === row);
    row.state = 'running';
    row.dueMs = this.nowMs + leaseMs;
    this.seen = this.version.get(row.user) ?? 0;
  }

  end(kind: 'ranked' | 'partly'): void {
    const { running } = this;
    if (running === undefined) return;
    this.rows = this.rows.filter((row) => row !== running);
    if (kind === 'ranked') {
      this.ranked.set(running.user, this.seen);
      return;
    }
    const open = this.of(running.user, 'open');
    if (open === undefined) this.open(running.user, this.nowMs);
    else open.dueMs = Math.min(open.dueMs, this.nowMs);
  }

  fail(retryDueMs: number): void {
    const { running } = this;
    if (running === undefined) return;
    running.state = 'retry';
    running.dueMs = retryDueMs;
    running.failures += 1;
  }

  /** People whose last change no run has seen. */
  get forgotten(): string[] {
    return [...this.version]
      .filter(([user, v]) => this.ranked.get(user) !== v)
      .map(([user]) => user);
  }

  private open(user: string, dueMs: number): void {
    this.orders += 1;
    const row = { order: this.orders, user, state: 'open', dueMs, firstMs: this.nowMs } as const;
    this.rows.push({ ...row, failures: 0 });
  }

  private isFirst(row: ModelRow): boolean {
    return !this.rows.some((other) => other.user === row.user && other.order < row.order);
  }

  private quietMs(): number {
    const ready = this.rows.filter(
      ({ state, dueMs }) => state !== 'running' && dueMs <= this.nowMs,
    ).length;
    const pressure = Math.min(1, Math.max(0, (ready - FEW) / (MANY - FEW)));
    return QUIET.leastMs + (QUIET.mostMs - QUIET.leastMs) * pressure;
  }
}
