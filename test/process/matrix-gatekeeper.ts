import { Client } from 'pg';
import { PROCESS_TIMEOUT_MS, until } from '../support/until';

/** Triggers that hold a process before a commit. The process itself needs no change for the test. */
const GATES = `
create function wait_at_gate() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'telegram_update' then
    perform pg_advisory_xact_lock_shared(new.chat_id);
  else
    perform pg_advisory_xact_lock_shared(d.chat::bigint) from delivery d where d.id = new.delivery_id;
  end if;
  return new;
end $$;
create trigger gate before insert on telegram_update for each row execute function wait_at_gate();
create trigger gate before insert on delivery_attempt for each row execute function wait_at_gate();`;

/**
 * Delays what a process wants to commit about a chat on Telegram: an incoming update, or the beginning
 * of a send. Such a statement waits for a lock that this class holds. It fails at its lock_timeout
 * (1 s), and the process tries it again.
 */
export class Gatekeeper {
  private constructor(private readonly client: Client) {}

  static async post(databaseUrl: string): Promise<Gatekeeper> {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'colloquy-test-gatekeeper',
    });
    // A test may take the database away from this connection too.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(GATES);
    return new Gatekeeper(client);
  }

  async close(chatId: number): Promise<void> {
    await this.client.query('select pg_advisory_lock($1)', [chatId]);
  }

  /** Locks this conversation. Storing a message begins with that lock, so every message waits. */
  async closeConversation(conversationId: string): Promise<void> {
    await this.client.query('begin');
    await this.client.query('select 1 from conversation where id = $1 for update', [
      conversationId,
    ]);
  }

  /** Resolves when some process waits for a row. */
  async isRowWaitedFor(): Promise<void> {
    await until(
      'a process waits for a row',
      async () => {
        const { rowCount } = await this.client.query(
          `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount !== 0;
      },
      PROCESS_TIMEOUT_MS,
    );
  }

  /** Resolves when a process waits for the lock of this chat. */
  async isWaitedFor(chatId: number): Promise<void> {
    await until(
      'a process waits at the gate',
      async () => {
        const { rowCount } = await this.client.query(
          `select 1 from pg_locks where locktype = 'advisory' and not granted
         and (classid::bigint << 32) | objid::bigint = $1`,
          [chatId],
        );
        return rowCount !== 0;
      },
      PROCESS_TIMEOUT_MS,
    );
  }

  async openAll(): Promise<void> {
    await this.client.query('rollback');
    await this.client.query('select pg_advisory_unlock_all()');
  }

  async leave(): Promise<void> {
    await this.client.end();
  }
}
