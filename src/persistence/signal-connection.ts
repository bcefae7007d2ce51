import { Client } from 'pg';
import type { Clock } from '../common/clock';
import { type Tx, keptPlan, preparedStatement } from '../common/uow';
import { applySettings, sessionSettings } from './data-source';

/**
 * One connection of its own for LISTEN and NOTIFY, outside every durable transaction. A signal is
 * a hint: it is lost while there is no connection, and readers find the state in tables.
 *
 *   idle ──open──> connecting ⇄ connected ──close──> closed
 *
 * It must reach PostgreSQL itself, because a pooler that shares sessions loses LISTEN.
 */
export class SignalConnection {
  private readonly listeners = new Set<SignalListener>();
  private readonly closing = new AbortController();
  /** When each other connection was heard last (monotonic), by the process id of its backend. */
  private readonly heardMs = new Map<number, number>();
  private client: Client | null = null;
  private last: Promise<boolean> = Promise.resolve(true);
  private loop: Promise<void> | null = null;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
    private readonly silenceMs = 4000,
  ) {}

  /** Connects, and reconnects after each loss, until it is closed. Returns at once. */
  open(): void {
    this.loop ??= this.run();
  }

  listen(listener: SignalListener): void {
    this.listeners.add(listener);
    if (this.client !== null) listener.onConnected();
  }

  get isConnected(): boolean {
    return this.client !== null;
  }

  /** Whether other connections were heard lately, so that signals are for anybody. */
  get hasPeers(): boolean {
    const sinceMs = this.clock.monotonicMs() - PEER_GONE_MS;
    for (const [pid, atMs] of this.heardMs) if (atMs < sinceMs) this.heardMs.delete(pid);
    return this.heardMs.size > 0;
  }

  /** Returns whether they were sent; if not, they are lost. Other connections get them in this order. */
  send(payloads: readonly string[]): Promise<boolean> {
    return this.inTurn((client) => client.query(preparedStatement(SEND, [payloads])));
  }

  async close(): Promise<void> {
    this.closing.abort();
    if (this.client !== null) this.drop(this.client);
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      await this.serve().catch(() => undefined);
      await this.clock.sleep(RECONNECT_MS, this.closing.signal);
    }
  }

  /** Runs one connection until it ends. */
  private async serve(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'colloquy-notices',
      connectionTimeoutMillis: 2000,
      query_timeout: this.silenceMs,
      keepAlive: true,
    });
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
    };
    client.on('error', end);
    client.on('end', end);
    try {
      await client.connect();
      await applySettings(client, SETTINGS);
      const own = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0];
      client.on('notification', ({ processId, payload = '' }) => {
        if (processId === own?.pid) return;
        this.heard(processId, payload);
      });
      await client.query(`listen ${CHANNEL}`);
      this.connected(client);
      void this.send([HERE]);
      const over = AbortSignal.any([ended.signal, this.closing.signal]);
      for (;;) {
        await this.clock.sleep(PING_MS, over);
        if (over.aborted) return;
        await this.send([HERE]);
      }
    } finally {
      this.drop(client);
    }
  }

  private heard(pid: number, payload: string): void {
    const isNew = !this.heardMs.has(pid);
    this.heardMs.set(pid, this.clock.monotonicMs());
    if (payload !== HERE) {
      for (const listener of this.listeners) listener.onSignal(payload);
    } else if (isNew) void this.send([HERE]);
  }

  /** Runs one statement at a time. Returns false without a connection, or when it failed and was closed. */
  private inTurn(query: (client: Client) => Promise<unknown>): Promise<boolean> {
    this.last = this.last.then(async () => {
      const { client } = this;
      if (client === null) return false;
      try {
        await query(client);
        return true;
      } catch {
        this.drop(client);
        return false;
      }
    });
    return this.last;
  }

  private connected(client: Client): void {
    this.client = client;
    for (const listener of this.listeners) listener.onConnected();
  }

  private drop(client: Client): void {
    if (this.client === client) this.client = null;
    client.end().catch(() => undefined);
  }
}

const CHANNEL = 'colloquy_notices';
/** Pause before the first reconnect, and interval of the check that a silent connection is alive. */
const RECONNECT_MS = 250;
const PING_MS = 10_000;
/** After this long without a word another connection counts as gone. */
const PEER_GONE_MS = 2.5 * PING_MS;
/** The sender is there: sent after each connect, with each check, and to a newcomer. No listener gets it. */
const HERE = '[]';
/** Signals are only hints, so a server crash may lose them. */
const SETTINGS = sessionSettings({ synchronous_commit: 'off' });

export interface SignalListener {
  /** Called with each signal of another connection, of at most 8,000 bytes. */
  onSignal(payload: string): void;
  /** Called after each connect: signals before it may have been missed. */
  onConnected(): void;
}

/** Sends signals when `tx` commits, for a process that has no connection for signals. */
export async function signalWithCommit(tx: Tx, payloads: readonly string[]): Promise<void> {
  await tx.query(SEND, [payloads]);
}

const SEND = `select pg_notify('${CHANNEL}', p) from unnest(${keptPlan('$1::text[]')}) as p`;
