import { Client } from 'pg';
import type { Clock } from '../common/clock';
import {
  DatabaseUnavailableError,
  endsConnection,
  isStalePlan,
  preparedStatement,
} from '../common/uow';
import { applySettings, sessionSettings } from './data-source';

/**
 * Every statement of this connection reads the first few rows of an index. With statistics from a quiet
 * hour the planner may sort all due rows instead, so sorting is off on this connection. Planned for each call,
 * a claim of one job costs five times as much: a plan that does not know the values is as good here.
 */
const SETTINGS = sessionSettings({
  statement_timeout: '3000',
  lock_timeout: '1000',
  plan_cache_mode: 'force_generic_plan',
  enable_sort: 'off',
  enable_bitmapscan: 'off',
  enable_seqscan: 'off',
});

/**
 * One connection of its own for claims and heartbeats, so that they never queue behind the pool.
 * It connects at the first statement and again after a loss; each statement is its own transaction.
 */
export class ControlConnection {
  private client: Client | null = null;
  private connectedAtMs: number | null = null;
  private wasConnected = false;
  private isClosed = false;
  private last: Promise<unknown> = Promise.resolve();

  /** `silenceMs`: how long a statement may take before the server counts as gone. */
  constructor(
    private readonly url: string,
    private readonly clock: Clock,
    private readonly silenceMs = 4000,
  ) {}

  /**
   * Rows of one statement, which runs after those sent before it; throws DatabaseUnavailableError
   * while the database is unreachable.
   */
  query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const turn = this.last.then(() => this.run<Row>(text, values));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** Monotonic time at which the current connection was opened; null without one. */
  connectedSinceMs(): number | null {
    return this.connectedAtMs;
  }

  /** Whether there was a connection that is now lost. */
  get isLost(): boolean {
    return this.wasConnected && this.client === null;
  }

  /** Closes the connection, also one that is being opened. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { client } = this;
    if (client !== null) {
      this.forget(client);
      await client.end().catch(() => undefined);
    }
    await this.last;
  }

  private async run<Row>(
    text: string,
    values: readonly unknown[],
    isFirstTry = true,
  ): Promise<Row[]> {
    const client = this.client ?? (await this.connect());
    try {
      const result = await client.query(preparedStatement(text, values));
      return result.rows as Row[];
    } catch (error) {
      if (!endsConnection(error) && this.client === client) throw error;
      this.drop(client);
      // A new connection prepares the statement anew.
      if (isStalePlan(error) && isFirstTry) return this.run(text, values, false);
      throw new DatabaseUnavailableError('the control connection was lost', { cause: error });
    }
  }

  private async connect(): Promise<Client> {
    this.assertOpen();
    const client = new Client({
      connectionString: this.url,
      application_name: 'colloquy-control',
      connectionTimeoutMillis: 2000,
      query_timeout: this.silenceMs,
      keepAlive: true,
    });
    client.on('error', () => {
      this.forget(client);
    });
    client.on('end', () => {
      this.forget(client);
    });
    try {
      await client.connect();
      await applySettings(client, SETTINGS);
    } catch (error) {
      client.end().catch(() => undefined);
      throw new DatabaseUnavailableError('the database cannot be reached', { cause: error });
    }
    if (this.isClosed) await client.end();
    this.assertOpen();
    this.client = client;
    this.wasConnected = true;
    this.connectedAtMs = this.clock.monotonicMs();
    return client;
  }

  private assertOpen(): void {
    if (this.isClosed) throw new DatabaseUnavailableError('the control connection is closed');
  }

  private forget(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.connectedAtMs = null;
  }

  /** Closes the connection, because a statement that timed out may still run on it. */
  private drop(client: Client): void {
    this.forget(client);
    client.end().catch(() => undefined);
  }
}
