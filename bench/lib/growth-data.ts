/**
 * Interviews as a database has them after half a year, generated in SQL. Each has:
 *
 *   31 messages     a greeting, and 12 answers in 18 messages with a reply each
 *   12 turns        one model request with one attempt and its stored text each
 *   18 labels       one for each message of the candidate
 *   1 web session
 *   12 deliveries   with an attempt each: every second interview is on Telegram
 *
 * Every hundredth answer has its done job still (they are deleted after a day), two interviews in a
 * hundred are open with a reminder to come, and one in a thousand has left a dead job with its item in
 * the attention list. There are no recordings, files and scores, and what was asked of a model
 * (`reply_request.input`, which names messages by id) is shorter than usual: no measured call reads it.
 */
import type { Pool } from 'pg';

export const MESSAGES_EACH = 31;
const ANSWERS = 12;
/** Within the shortest period of retention that is measured (180 days). */
const DAYS = 170;
/** Interviews of one transaction. */
const CHUNK = 1000;

/** $1, $2: the first and the last interview of the chunk; $3: how many the database will have. */
const MADE = `create temp table made on commit drop as
   select n, n % 2 = 0 as telegram, uuidv7(n.at - now()) as id, uuidv7(n.at - now()) as candidate, n.at
   from (select n, now() - (($3::bigint - n + random()) / $3 * ${DAYS}) * interval '1 day' as at
     from generate_series($1::bigint, $2::bigint) n) n`;

/** The rows of a chunk. No foreign key is checked meanwhile: every row refers to rows of the chunk. */
const FILLS = [
  `create temp table answer on commit drop as
   select m.id, m.candidate, m.telegram, m.at + k * interval '90 seconds' as at, k,
     m.n * ${ANSWERS} + k as buffer, uuidv7(m.at - now() + k * interval '90 seconds') as reply,
     5 * ((k - 1) / 2) + case k % 2 when 1 then 2 else 4 end as seq
   from made m, generate_series(1, ${ANSWERS}) k order by m.at, k`,
  // No trigger runs meanwhile, so what a trigger would set is given.
  `insert into candidate (id, name, contact, has_agreed, created_at)
   select candidate, 'Candidate ' || n, 'c' || n || '@example.com', true, at
   from made order by at`,
  `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state,
     interview_step, last_seq, consent_version, consent_accepted, consent_at, channel, agent,
     created_at, updated_at)
   select made.id, c.vacancy_id, candidate, 'en', c.plan,
     case when n % 50 = 0 then 'active' else 'completed' end, c.state, ${ANSWERS},
     ${MESSAGES_EACH}, '1', true, at, case when telegram then 'telegram' else 'web' end,
     'interviewer', at, at + interval '20 minutes'
   from made, (select vacancy_id, plan, state from conversation order by id desc limit 1) c order by at`,
  `insert into web_session (token_hash, conversation_id, created_at, seen_at)
   select encode(sha256(id::text::bytea), 'hex'), id, at, at from made order by at`,
  `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
   select uuidv7(at - now()), id, 1, 'assistant', 'code', 'greeting', 'Hello, and welcome.', at
   from made order by at`,
  `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
     answer_id, turn_id, cleared_at)
   select uuidv7(a.at - now()), id, seq + p, 'user', case when telegram then 'telegram' else 'web' end,
     case when telegram then '1:' else '' end || buffer || ':' || p,
     'I kept the old ledger running beside the new one until both agreed for a month' ||
       repeat(', and then we looked at it again', (buffer % 5)::int) || '.', a.at, buffer, buffer, a.at
   from answer a, generate_series(0, 1 - k % 2) p order by a.at`,
  `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
     turn_id, question_context, question_at, cleared_at)
   select reply, id, seq + 2 - k % 2, 'assistant', 'code', 'reply:' || buffer,
     'Thank you. What did you do when the two did not agree, and how did you find out why?', at, buffer,
     'q' || k, k, at
   from answer order by at`,
  `insert into turn (id, answer_id, conversation_id, interview_step, channel, state,
     message_count, reply_message_id, reply_text, verdict, replied_by, started_at, replied_at,
     completed_at, claim_no, agent, prompt) overriding system value
   select buffer, buffer, id, k, case when telegram then 'telegram' else 'web' end,
     'delivered', 2 - k % 2, reply,
     'Thank you. What did you do when the two did not agree, and how did you find out why?', 'answered',
     'model', at, at, at, 1, 'interviewer', 'interviewer 2 (1f0c)'
   from answer order by at`,
  `insert into message_label (message_id, label, question_id)
   select m.id, 'answer', 'q' || a.k
   from answer a join message m on m.answer_id = a.buffer and m.role = 'user' order by m.id`,
  `insert into llm_request (id, subject, purpose, n, created_at) overriding system value
   select buffer, 'flush:' || buffer, 'interview', 1, at from answer order by at`,
  `insert into llm_attempt (id, request_id, epoch, model, outcome, input_tokens, output_tokens,
     cost_usd, latency_ms, sent_at, ended_at) overriding system value
   select buffer, buffer, 1, 'a-model', 'ok', 1800, 60, 0.001, 900, at, at from answer order by at`,
  `insert into reply_request (attempt_id, turn_id, model, parameters, prompt_hash, input, input_hash,
     output)
   select buffer, buffer, 'a-model', '{"temperature":0}', repeat('1', 64), '{"messages":[]}',
     repeat('2', 64), '{"text":"Thank you."}' from answer order by at`,
  `insert into delivery (id, conversation_id, turn_id, message_id, kind, channel, chat, part, text,
     plain, state, sent_at, external_id) overriding system value
   select buffer, id, buffer, reply, 'reply', 'telegram', id::text, 0, 'Thank you.', 'Thank you.',
     'sent', at, buffer::text from answer where telegram order by at`,
  `insert into delivery_attempt (delivery_id, started_at, ended_at, outcome)
   select buffer, at, at, 'sent' from answer where telegram order by at`,
  `insert into job (id, queue, key, state, first_at, ended_at, claim_no) overriding system value
   select buffer, 'flush', id, 'done', now(), now(), 1 from answer where buffer % 100 = 0`,
  `insert into job (queue, key, state, first_at, due_at, check_at, quiet_at)
   select 'remind', id, 'open', now(), now() + interval '1 day', now() + interval '1 day', now() from made where n % 50 = 0`,
  `insert into job (queue, key, state, first_at, ended_at, failures)
   select 'flush', id, 'dead', at, at, 5 from made where n % 1000 = 0`,
  `insert into attention (kind, subject, conversation_id, reason, created_at, alerted_at, closed_at)
   select 'failed', 'job:' || n, id, 'The model failed.', at, at, at from made
   where n % 1000 = 0`,
];

/** Identity columns that were filled by hand. */
const COUNTED = ['turn', 'llm_request', 'llm_attempt', 'delivery', 'job'];

/** How many interviews have this many messages. */
export function interviewsFor(messages: number): number {
  return Math.ceil(messages / MESSAGES_EACH);
}

/** How many were generated so far. One that is there already was made by the application, as a pattern. */
export async function interviewsIn(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ last: string | null }>(
    `select max(answer_id) / ${ANSWERS} as last from turn`,
  );
  return Number(rows[0]?.last ?? 0);
}

/**
 * Adds interviews up to that number, each as a copy of the vacancy, plan and state of one that is
 * there. Returns false when the time was over before; the next call goes on.
 */
export async function growTo(pool: Pool, interviews: number, endMs: number): Promise<boolean> {
  // The done jobs get the numbers of their turns, all other jobs numbers above those.
  await pool.query(
    `select setval(pg_get_serial_sequence('job', 'id'),
       greatest((select max(id) from job), $1::bigint) + 1)`,
    [interviews * ANSWERS],
  );
  for (let made = await interviewsIn(pool); made < interviews;) {
    if (performance.now() > endMs) return false;
    const last = Math.min(interviews, made + CHUNK);
    await addChunk(pool, [made + 1, last, interviews]);
    made = last;
  }
  return true;
}

async function addChunk(pool: Pool, chunk: readonly number[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`set local session_replication_role = replica`);
    await client.query(`set local synchronous_commit = off`);
    await client.query(MADE, [...chunk]);
    for (const fill of FILLS) await client.query(fill);
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** What autovacuum would have done by then, and identity columns beyond the generated rows. */
export async function settle(pool: Pool): Promise<void> {
  for (const table of COUNTED) {
    await pool.query(
      `select setval(pg_get_serial_sequence($1, 'id'), (select max(id) + 1 from ${table}))`,
      [table],
    );
  }
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
}
