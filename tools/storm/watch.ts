import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Violation } from './facts';
import type { StormSetup } from './storm-setup';

const LOOK_EVERY_MS = 250;
/** `idle_in_transaction_session_timeout` is 4 s; a look may be late. */
const LONGEST_IDLE_MS = 5500;

interface TrackedJob {
  readonly id: string;
  readonly queue: string;
  readonly claimNo: number;
  readonly sinceMs: number;
}

/** Looks at PostgreSQL from outside during the storm: idle transactions, and jobs of dead replicas. */
export class Watch {
  readonly violations: Violation[] = [];
  /** From the death of a replica until each of its jobs was claimed by another. */
  readonly recoveries: { readonly queue: string; readonly tookMs: number }[] = [];
  private tracked: TrackedJob[] = [];
  private readonly dead: { readonly worker: string; readonly sinceMs: number }[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly setup: StormSetup) {}

  start(): void {
    for (const replica of this.setup.replicas) {
      replica.onDeath = (worker) => {
        this.dead.push({ worker, sinceMs: performance.now() });
      };
    }
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Jobs of dead replicas that nobody has claimed yet. */
  get waiting(): number {
    return this.tracked.length;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.whileConnected(signal).catch(() => undefined);
      await pause(LOOK_EVERY_MS);
    }
  }

  private async whileConnected(signal: AbortSignal): Promise<void> {
    const client = new Client({
      connectionString: this.setup.databaseUrl,
      application_name: 'storm-watch',
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      while (!signal.aborted) {
        await this.lookForIdle(client);
        await this.lookForTakeovers(client);
        await pause(LOOK_EVERY_MS);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** I6: a transaction that waits for a peer would be idle. */
  private async lookForIdle(client: Client): Promise<void> {
    const { rows } = await client.query<{ query: string; ms: number }>(
      `select left(query, 80) as query,
         (extract(epoch from clock_timestamp() - state_change) * 1000)::int as ms
       from pg_stat_activity
       where state like 'idle in transaction%' and application_name like 'colloquy%'
         and clock_timestamp() - state_change > $1 * interval '1 millisecond'`,
      [LONGEST_IDLE_MS],
    );
    for (const { query, ms } of rows) {
      this.violations.push({
        rule: 'I6',
        what: `idle in a transaction for ${String(ms)} ms: ${query}`,
      });
    }
  }

  private async lookForTakeovers(client: Client): Promise<void> {
    for (const { worker, sinceMs } of this.dead.splice(0)) {
      const { rows } = await client.query<Omit<TrackedJob, 'sinceMs'>>(
        `select id, queue, claim_no as "claimNo" from job where worker = $1 and state = 'running'`,
        [worker],
      );
      this.tracked.push(...rows.map((row) => ({ ...row, sinceMs })));
    }
    if (this.tracked.length === 0) return;
    const { rows } = await client.query<{ id: string; claimNo: number }>(
      `select id, claim_no as "claimNo" from job where id = any($1::bigint[]) and state = 'running'`,
      [this.tracked.map(({ id }) => id)],
    );
    const claims = new Map(rows.map(({ id, claimNo }) => [id, claimNo]));
    const nowMs = performance.now();
    this.tracked = this.tracked.filter(({ id, queue, claimNo, sinceMs }) => {
      if (claims.get(id) === claimNo) return true;
      this.recoveries.push({ queue, tookMs: nowMs - sinceMs });
      return false;
    });
  }
}
