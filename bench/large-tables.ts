/**
 * A database with 1,000,000 jobs, most of them done, and as many other rows as their interviews would
 * have left. An interview, the sweeps and the metrics run in it, and every statement that the
 * application sent is explained: none may read a whole hot table. PostgreSQL's own count of sequential
 * scans is compared too, because it includes those of foreign keys, as when a person is erased. Left out is
 * the funnel of the metrics, which counts all at most once a minute. Also counted: the share of HOT updates by table. Programs list 100,000 interviews and as many invitations by every
 * state, by text and by vacancy, and as many decisions.
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Client, Pool } from 'pg';
import { ExpirySweep } from '../src/buffer/flush';
import { DomainEvents } from '../src/common/events';
import { type Tx, UnitOfWorkFactory } from '../src/common/uow';
import { INTERVIEW_STAGES, InterviewListRepository } from '../src/interview';
import { INVITATION_STATES, OneInvitation } from '../src/invitations';
import { DoneJobSweep, JobWorker } from '../src/jobs';
import { makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';

const JOBS = 1_000_000;
const CONVERSATIONS = 20_000;
/** Interviews that programs list, in all states. */
const LISTED = 100_000;
/** With it a list begins near its end. */
const LATE_DECISION = '3000';
const ROWS = 200_000;
const ANSWERS = 5;
/** Long enough for the sweeps that run every five seconds. */
const LONGEST_MS = 40_000;

/** `turn_segment` is left out: it has rows only for replies that are being written. */
const HOT_TABLES = [
  'conversation',
  'message',
  'job',
  'turn',
  'delivery',
  'delivery_attempt',
  'llm_request',
  'llm_attempt',
  'web_session',
  'attention',
  'candidate',
  'invitation',
  'decision',
];
/** Counts all interviews and invitations, at most once a minute: docs/metrics.md says so. */
const FUNNEL = /^select count\(\*\)::int as (count from invitation|opened)/;
const READS_A_TABLE = new RegExp(`Seq Scan on (${HOT_TABLES.join('|')})\\b`, 'g');

/** $1: the ids of the conversations that get rows. */
const FILLS = [
  `insert into job (queue, key, state, first_at, ended_at)
   select 'flush', ($1::uuid[])[1 + n % ${CONVERSATIONS}], 'done', now() - interval '1 hour', now()
   from generate_series(1, ${JOBS}) n`,
  `insert into job (queue, key, state, first_at, quiet_at, due_at)
   select 'flush', ($1::uuid[])[n], 'open', now(), now() + interval '1 hour',
     now() + interval '1 hour' from generate_series(1, 5000) n`,
  `insert into job (queue, key, state, first_at, ended_at)
   select 'flush', ($1::uuid[])[n], 'dead', now(), now() from generate_series(5001, 6000) n`,
  `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at,
     answer_id, cleared_at)
   select gen_random_uuid(), ($1::uuid[])[1 + n % ${CONVERSATIONS}], n, 'user', 'web', n::text,
     'An answer of some length, as people write it.', now(), n, now()
   from generate_series(1, ${ROWS}) n`,
  `insert into turn (answer_id, conversation_id, interview_step, channel, state,
     message_count, reply_message_id, reply_text, started_at, replied_at, completed_at)
   select m.answer_id, m.conversation_id, 1, 'web', 'delivered', 1, m.id,
     'A reply.', now(), now(), now() from message m where m.answer_id <= ${ROWS}`,
  `insert into delivery (conversation_id, turn_id, message_id, kind, channel, chat, part, state,
     sent_at)
   select u.conversation_id, u.id, u.reply_message_id, 'reply', 'web', u.conversation_id, 0, 'sent',
     now() from turn u`,
  `insert into delivery_attempt (delivery_id, outcome) select id, 'sent' from delivery`,
  `insert into llm_request (subject, purpose, n) select 'flush:' || answer_id, 'interview', 1 from turn`,
  `insert into llm_attempt (request_id, epoch, model, outcome)
   select id, 1, 'm', 'ok' from llm_request`,
  `insert into web_session (token_hash, conversation_id)
   select 'h' || n, ($1::uuid[])[n] from generate_series(1, ${CONVERSATIONS}) n`,
  `insert into attention (kind, subject, conversation_id, reason, closed_at, alerted_at)
   select 'waiting', 'job:' || n, ($1::uuid[])[n], 'r', now(), now()
   from generate_series(1, ${CONVERSATIONS}) n`,
  `insert into candidate (id, name)
   select md5('c' || n)::uuid, 'Candidate ' || n from generate_series(1, ${LISTED}) n`,
  `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at, external_id)
   select md5('i' || n)::uuid, v.id, md5('c' || n)::uuid, 'list-' || n, now() + interval '1 day',
     'crm-' || n
   from generate_series(1, ${LISTED}) n, (select id from vacancy limit 1) v`,
  `insert into conversation (id, vacancy_id, candidate_id, invitation_id, language, plan, state, status)
   select md5('v' || n)::uuid, v.id, md5('c' || n)::uuid, md5('i' || n)::uuid, 'en',
     '{"questions": []}', '{}',
     (array['new', 'active', 'completed', 'completed', 'expired', 'withdrawn', 'handed_over'])[1 + n % 7]
   from generate_series(1, ${LISTED}) n, (select id from vacancy limit 1) v`,
  `insert into decision (candidate_id, decided_by, reason, decided_at)
   select md5('c' || n)::uuid, 'Ada Lovelace', 'A reason of some length.', now()
   from generate_series(1, ${LISTED}) n`,
  `insert into score_run (id, conversation_id, state, started_at, ended_at)
   select gen_random_uuid(), id, 'done', now(), now() from conversation
   where status = 'completed' and id < '80000000-0000-0000-0000-000000000000'`,
];

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Collects every statement of this process from now on, each once. */
function watchStatements(): Map<string, Sent> {
  const sent = new Map<string, Sent>();
  const prototype = Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [given, values] = args as [string | Partial<Sent> | undefined, unknown];
    const text = typeof given === 'string' ? given : (given?.text ?? '');
    const bound = typeof given === 'string' ? values : given?.values;
    if (/^\s*(select|with|insert|update|delete)\b/i.test(text) && !sent.has(text)) {
      sent.set(text, { text, values: Array.isArray(bound) ? (bound as unknown[]) : [] });
    }
    return query.apply(this, args);
  };
  return sent;
}

/** The statements that read a whole hot table: the tables, and how the statement begins. */
async function offendersAmong(sent: Iterable<Sent>, pool: Pool): Promise<string[]> {
  const offenders: string[] = [];
  for (const { text, values } of sent) {
    if (FUNNEL.test(text)) continue;
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const found = [...new Set([...plan.matchAll(READS_A_TABLE)].map(([, table]) => table))];
    if (found.length === 0) continue;
    offenders.push(`${found.join(', ')}: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 150)}`);
  }
  return offenders;
}

/** Runs one interview; returns how many replies it got. */
async function interview(app: NestFastifyApplication, invite: string): Promise<number> {
  const call = async <T>(
    method: 'GET' | 'POST',
    url: string,
    body?: object,
    token = '',
  ): Promise<T> => {
    const response = await app.inject({
      method,
      url: `/api/v1${url}`,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    if (response.statusCode >= 400) throw new Error(`${url}: ${response.body}`);
    return (response.body === '' ? {} : response.json()) as T;
  };
  const { sessionToken } = await call<{ sessionToken: string }>('POST', '/sessions', { invite });
  const at = '/conversation';
  type View = { disclosure: { version: string }; interviewStep: number };
  const { disclosure } = await call<View>('GET', at, undefined, sessionToken);
  await call(
    'POST',
    `${at}/consent`,
    { version: disclosure.version, accepted: true },
    sessionToken,
  );
  await call('POST', `${at}/profile`, { name: 'Ada', contact: 'a@b.example' }, sessionToken);
  const endMs = performance.now() + LONGEST_MS;
  let step = 0;
  for (let answer = 1; answer <= ANSWERS && performance.now() < endMs; answer += 1) {
    await call('POST', `${at}/activity`, { type: 'typing' }, sessionToken);
    await call('POST', `${at}/messages`, { id: `m${answer}`, text: 'Rye.' }, sessionToken);
    await call('POST', `${at}/done`, {}, sessionToken);
    const before = step;
    while (step === before && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      step = (await call<View>('GET', at, undefined, sessionToken)).interviewStep;
    }
  }
  await call('GET', `${at}/messages`, undefined, sessionToken);
  await call('GET', `${at}/mydata`, undefined, sessionToken);
  await call('POST', `${at}/forget`, { confirm: 'erase' }, sessionToken);
  return step;
}

/** Each list of programs, first and late; returns how long a late page takes against a first one. */
async function lists(app: NestFastifyApplication, vacancyId: string): Promise<number> {
  const interviews = app.get(InterviewListRepository, { strict: false });
  const invitations = app.get(OneInvitation, { strict: false });
  const events = app.get(DomainEvents, { strict: false });
  const units = app.get(UnitOfWorkFactory, { strict: false });
  const run = (work: (tx: Tx) => Promise<unknown>): Promise<unknown> =>
    units.run('bench', (uow) => uow.commit('bench', work));
  const tookMs = { first: 0, late: 0 };
  for (const vacancyIds of [null, [vacancyId]]) {
    for (const page of ['first', 'late'] as const) {
      const before = page === 'first' ? undefined : '08000000-0000-0000-0000-000000000000';
      const began = performance.now();
      for (const stage of [undefined, ...INTERVIEW_STAGES]) {
        for (const text of [undefined, 'candidate 77', 'crm-4711']) {
          const filter = { vacancyIds, stage, text };
          await run((tx) => interviews.list(tx, filter, { before, limit: 50 }));
        }
      }
      for (const state of [undefined, ...INVITATION_STATES]) {
        const filter = { vacancyIds, state };
        await run((tx) => invitations.list(tx, filter, { before, limit: 50 }));
      }
      for (const vacancyOf of [undefined, vacancyId]) {
        const filter = {
          vacancyIds,
          vacancyId: vacancyOf,
          before: page === 'first' ? undefined : LATE_DECISION,
          limit: 50,
        };
        await run((tx) => events.collect(tx, 'decisions.listed', filter));
      }
      tookMs[page] += performance.now() - began;
    }
  }
  return tookMs.late / tookMs.first;
}

/** How often each hot table was read from end to end so far, foreign keys included. */
async function readsOfAll(pool: Pool): Promise<Map<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { rows } = await pool.query<{ table: string; reads: string }>(
    `select relname as table, seq_scan as reads from pg_stat_user_tables where relname = any($1)`,
    [HOT_TABLES],
  );
  return new Map(rows.map(({ table, reads }) => [table, Number(reads)]));
}

async function hotShares(pool: Pool): Promise<{ table: string; updates: number; share: number }[]> {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { rows } = await pool.query<{ table: string; updates: string; hot: string }>(
    `select relname as table, n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
     where relname = any($1) and n_tup_upd > 0 order by 1`,
    [HOT_TABLES],
  );
  return rows.map(({ table, updates, hot }) => ({
    table,
    updates: Number(updates),
    share: Number(hot) / Number(updates),
  }));
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, {
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
    INTERVIEW_SCRIPTED_PACE: '0',
  });
  const pool = new Pool({ connectionString: database.url, max: 1 });
  const ids = await makeConversations(app, CONVERSATIONS);
  const vacancies = await pool.query<{ id: string; open_token: string }>(
    `select id, open_token from vacancy limit 1`,
  );
  await pool.query('set synchronous_commit = off');
  for (const fill of FILLS) {
    await pool.query(fill, fill.includes('$1') ? [ids] : []);
  }
  await pool.query('vacuum analyze');

  const readsBefore = await readsOfAll(pool);
  const sent = watchStatements();
  app.get(JobWorker, { strict: false }).start();
  const replies = await interview(app, vacancies.rows[0]?.open_token ?? '');
  const latePage = await lists(app, vacancies.rows[0]?.id ?? '');
  await app.get(ExpirySweep, { strict: false }).runOnSchedule();
  await app.get(DoneJobSweep, { strict: false }).runOnSchedule();
  const readsAfter = await readsOfAll(pool);
  await app.inject({ method: 'GET', url: '/metrics' });
  const read = [...readsAfter].filter(([table, reads]) => reads > (readsBefore.get(table) ?? 0));
  const statements = [...sent.values()];
  const offenders = await offendersAmong(statements, pool);
  for (const offender of offenders) process.stdout.write(`  reads all of ${offender}\n`);
  const shares = await hotShares(pool);
  report(
    'large-tables',
    [
      { name: 'jobs', value: JOBS, unit: '' },
      { name: 'replies given', value: replies, unit: '', bound: { atLeast: ANSWERS } },
      { name: 'statements explained', value: statements.length, unit: '' },
      {
        name: 'statements that read a hot table from end to end',
        value: offenders.length,
        unit: '',
        bound: { atMost: 0 },
      },
      {
        name: 'hot tables read from end to end, by foreign keys too',
        value: read.length,
        unit: '',
        bound: { atMost: 0 },
      },
      {
        name: 'a late page of a list, against the first',
        value: latePage,
        unit: '×',
        bound: { atMost: 1.5 },
      },
      ...shares.map(({ table, share }) => ({
        name: `HOT updates of ${table}`,
        value: 100 * share,
        unit: '%',
      })),
    ],
    [
      `${ROWS} messages and turns in ${CONVERSATIONS} conversations, and ${LISTED} interviews to list`,
      ...read.map(([table]) => `read from end to end: ${table}`),
    ],
  );
  await pool.end();
  await app.close();
  await database.close();
  if (offenders.length + read.length > 0) process.exitCode = 1;
}

void main();
