import { Client } from 'pg';
import { until } from '../support/postgres/processes';

/** In the database itself, so that a process can be held before a commit without knowing of it. */
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
 * Holds up what a process wants to commit about a chat on Telegram: an update that comes in, or the
 * beginning of a send. Such a statement waits for a lock that is held here, for as long as a process
 * lets it wait (lock_timeout, 1 s); it is then tried again.
 */
export class Gatekeeper {
  private constructor(private readonly client: Client) {}

  static async post(databaseUrl: string): Promise<Gatekeeper> {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'colloquy-test-gatekeeper',
    });
    // The database may be taken away under it.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(GATES);
    return new Gatekeeper(client);
  }

  async close(chatId: number): Promise<void> {
    await this.client.query('select pg_advisory_lock($1)', [chatId]);
  }

  /** From now on nobody can lock this conversation, which every message of it begins with. */
  async closeConversation(conversationId: string): Promise<void> {
    await this.client.query('begin');
    await this.client.query('select 1 from conversation where id = $1 for update', [
      conversationId,
    ]);
  }

  /** Resolves when some process waits for a row. */
  async isRowWaitedFor(): Promise<void> {
    await until('a process waits for a row', async () => {
      const { rowCount } = await this.client.query(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount !== 0;
    });
  }

  /** Resolves when a process stands before the closed gate. */
  async isWaitedFor(chatId: number): Promise<void> {
    await until('a process waits at the gate', async () => {
      const { rowCount } = await this.client.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted
         and (classid::bigint << 32) | objid::bigint = $1`,
        [chatId],
      );
      return rowCount !== 0;
    });
  }

  async openAll(): Promise<void> {
    await this.client.query('rollback');
    await this.client.query('select pg_advisory_unlock_all()');
  }

  async leave(): Promise<void> {
    await this.client.end();
  }
}
