import { Client } from 'pg';
import type { Clock } from '../common/clock';
import { DatabaseUnavailableError, isConnectionLost } from '../common/uow';

/**
 * One connection of its own for claims and heartbeats, so that they never queue behind the pool.
 * It connects when first asked and again after a loss; each statement is its own transaction.
 */
export class ControlConnection {
  private client: Client | null = null;
  private connecting: Promise<Client> | null = null;
  private contactSinceMs: number | null = null;
  private isClosed = false;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {}

  /** Rows of one statement; throws DatabaseUnavailableError while the database is away. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = await this.connected();
    try {
      const result = await client.query(text, [...values]);
      return result.rows as Row[];
    } catch (error) {
      if (!isConnectionLost(error) && this.client === client) throw error;
      this.drop(client);
      throw new DatabaseUnavailableError('the control connection was lost', { cause: error });
    }
  }

  /** Monotonic time at which the present, uninterrupted contact began; null without contact. */
  connectedSinceMs(): number | null {
    return this.contactSinceMs;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = this.client;
    if (client === null) return;
    this.drop(client);
    await client.end().catch(() => undefined);
  }

  private async connected(): Promise<Client> {
    if (this.client !== null) return this.client;
    if (this.isClosed) throw new DatabaseUnavailableError('the control connection is closed');
    this.connecting ??= this.connect().finally(() => {
      this.connecting = null;
    });
    return this.connecting;
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'colloquy-control',
      connectionTimeoutMillis: 2000,
      query_timeout: 4000,
      statement_timeout: 3000,
      lock_timeout: 1000,
      keepAlive: true,
    });
    client.on('error', () => {
      this.drop(client);
    });
    client.on('end', () => {
      this.drop(client);
    });
    try {
      await client.connect();
    } catch (error) {
      throw new DatabaseUnavailableError('the database cannot be reached', { cause: error });
    }
    if (this.isClosed) await client.end();
    this.client = client;
    this.contactSinceMs = this.clock.monotonicMs();
    return client;
  }

  private drop(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.contactSinceMs = null;
  }
}
