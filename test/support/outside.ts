/** Reads and disturbs an application's database from outside, as an operator may. */
import { Client } from 'pg';
import { asAdmin } from './postgres/admin';

/** Rows of one statement on a connection of its own. */
export async function rowsOf<Row>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-test-outside' });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows as Row[];
  } finally {
    await client.end();
  }
}

/** The newest flush job of a conversation. */
export async function flushJob(url: string, conversationId: string): Promise<FlushJob> {
  const [job] = await rowsOf<FlushJob>(
    url,
    `select state, claim_no as "claimNo",
       case when due_at is not null then greatest(due_at, leased_until) end as "dueAt",
       greatest(due_at, leased_until) <= now() as "isDue", worker
     from job where queue = 'flush' and key = $1 order by id desc limit 1`,
    [conversationId],
  );
  if (job === undefined) throw new Error('there is no such job');
  return job;
}

export interface FlushJob {
  readonly state: string;
  readonly claimNo: number;
  readonly dueAt: Date | null;
  readonly isDue: boolean | null;
  readonly worker: string | null;
}

/** Makes all open answers due now. */
export async function makeDue(url: string): Promise<void> {
  await rowsOf(url, `update job set due_at = clock_timestamp() where state = 'open'`);
}

/** The replies that are stored, without greeting and first question. */
export async function repliesOf(url: string, conversationId: string): Promise<string[]> {
  const rows = await rowsOf<{ text: string }>(
    url,
    `select text from message
     where conversation_id = $1 and role = 'assistant' and turn_id is not null order by seq`,
    [conversationId],
  );
  return rows.map(({ text }) => text);
}

/** How often a model was asked for a conversation, by outcome. */
export function attemptsOf(url: string, conversationId: string): Promise<{ outcome: string }[]> {
  return rowsOf(
    url,
    `select a.outcome from llm_attempt a join llm_request r on r.id = a.request_id
       join turn t on r.subject = 'flush:' || t.answer_id
     where t.conversation_id = $1 order by a.id`,
    [conversationId],
  );
}

/** Changes settings of the database, as an operator does; connections made from now on have them. */
export async function alterDatabase(url: string, ...changes: string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asAdmin(async (admin) => {
    for (const change of changes) await admin.query(`alter database ${name} ${change}`);
  });
}

export const READ_ONLY = 'set default_transaction_read_only = on';
export const WRITABLE = 'reset default_transaction_read_only';

/** Makes the server refuse this database from now on, and ends its connections. */
export async function takeAway(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asAdmin(async (admin) => {
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
  });
}

export async function giveBack(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asAdmin((admin) => admin.query(`alter database ${name} with allow_connections true`));
}

/** Connections of applications to this database. */
export async function connectionsTo(url: string): Promise<string[]> {
  const name = new URL(url).pathname.slice(1);
  const { rows } = await asAdmin((admin) =>
    admin.query<{ name: string }>(
      `select application_name as name from pg_stat_activity where datname = $1 order by 1`,
      [name],
    ),
  );
  return rows.map((row) => row.name);
}

/** The open link's token of the first vacancy; from the table, because with a PUBLIC_URL the log has no links. */
export async function openTokenIn(databaseUrl: string): Promise<string> {
  const [vacancy] = await rowsOf<{ token: string }>(
    databaseUrl,
    'select open_token as token from vacancy order by slug limit 1',
  );
  if (vacancy === undefined) throw new Error('the database has no vacancy');
  return vacancy.token;
}
