/**
 * The statements that put boards into the queue `notion-sync`: many people's in one. They keep the
 * rules of the task table (src/tasks/task.ts): one open row for each key; a row that is due is
 * never moved. Keys are uuids in PostgreSQL's own writing, whatever was given. Rows are taken in
 * the order of their keys, so that two of these statements cannot block each other.
 */

/** Boards that are ready, counted no further: from here on the quiet time is at its longest. */
const READY_COUNTED = 20;

const WANTED = `wanted as (
      select distinct id::uuid::text as key from unnest($1::text[]) as id)`;

export interface MarkedRow {
  readonly userId: string;
  /** False: the board was waiting already, and goes on waiting with this. */
  readonly isNew: boolean;
}

/**
 * $1 users, $2 now, $3 shortest and $4 longest quiet time, $5 longest wait, $6 whether they are to
 * be ready at once, $7 worker.
 *
 * - A board that is ready keeps its place; one that waits, waits for quiet again, up to the longest
 *   wait.
 * - A board that waits for its retry is due as soon as the quiet time has passed, unless Notion
 *   asked for a pause. It is joined by an open row, which is absorbed when the retry begins and
 *   stays if there is none. (A locked row is being claimed or marked: nothing is left to do.)
 * - `limit 1` tells the planner that the table has one row: never analysed, it is taken for a thousand.
 */
export const MARK = `
    with ${WANTED},
    clock as (
      select coalesce($2::timestamptz, clock_timestamp()) as now),
    pressure as (
      select notion_rate(l.rate, l.recovers_from, clock.now) as rate,
        coalesce(l.paused_until > clock.now, false) as is_paused,
        (select count(*)::int from (
          select from job
          where queue = 'notion-sync' and state in ('open', 'retry')
            and due_at <= coalesce($2::timestamptz, now())
          limit ${READY_COUNTED}) ready) as ready
      from (select * from notion_limiter limit 1) l, clock),
    quiet as (
      select is_paused, clock.now + interval '1 millisecond' * case when $6::bool then 0
        else least(notion_quiet_ms($3::float8, $4::float8, rate, ready), $5::float8) end as due_at
      from pressure, clock),
    hastened as (
      update job t set due_at = quiet.due_at
      from quiet where not quiet.is_paused and t.id in (
        select r.id from job r join wanted w on w.key = r.key
        where r.queue = 'notion-sync' and r.state = 'retry' and r.due_at > quiet.due_at
        for no key update of r skip locked))
    insert into job as t (queue, key, due_at, first_at, worker)
    select 'notion-sync', w.key, quiet.due_at, clock.now, $7
    from wanted w, quiet, clock
    order by w.key
    on conflict (queue, key) where state = 'open' do update
    set due_at = case
        when t.due_at <= coalesce($2::timestamptz, clock_timestamp()) then t.due_at
        else least(excluded.due_at, t.first_at + $5::float8 * interval '1 millisecond') end,
      count = t.count + 1, worker = excluded.worker
    returning t.key as "userId", t.xmax = 0 as "isNew"`;

/** $1 users, $2 now, $3 worker. A board that waits, runs or will be tried again needs no look. */
export const LOOK_AT = `
    with ${WANTED}
    insert into job as t (queue, key, due_at, first_at, worker)
    select 'notion-sync', w.key, c.now, c.now, $3
    from wanted w, (select coalesce($2::timestamptz, clock_timestamp()) as now) c
    where not exists (
      select from job l
      where l.queue = 'notion-sync' and l.key = w.key and l.state in ('open', 'running', 'retry'))
    order by w.key
    on conflict (queue, key) where state = 'open' do nothing
    returning t.key as "userId", true as "isNew"`;

/**
 * $1 the claimed key, $2 now, $3 when it became ready, $4 the task, $5 the claim's number. What asked
 * for the board until now is answered by the query that follows, so the claim takes the key's open
 * row along. No row: the task is another claim's.
 */
export const ABSORB = `
    with fenced as (
      select count from job where id = $4 and claim_no = $5 and state = 'running'
      for no key update),
    absorbed as (
      update job t
      set state = 'done', due_at = null, ended_at = coalesce($2::timestamptz, clock_timestamp())
      from fenced
      where t.queue = 'notion-sync' and t.key = $1 and t.state = 'open'
      returning 1)
    select extract(epoch from coalesce($2::timestamptz, clock_timestamp()) - $3::timestamptz)::float8
      * 1000 as "queueWaitMs",
      fenced.count as asks, exists (select from absorbed) as "isJoined"
    from fenced`;

/** $1 the key of the board that runs, $2 now, $3 how many. Others' rows, in the order of their claims. */
export const NEXT_READY = `
    select c.key as "userId", c.id as "jobId", c.count as asks from job c
    where c.queue = 'notion-sync' and c.state in ('open', 'retry') and c.key <> $1
      and c.due_at <= coalesce($2::timestamptz, now())
      and not exists (
        select from job e
        where e.queue = 'notion-sync' and e.key = c.key and e.id < c.id
          and e.state in ('open', 'running', 'retry'))
    order by c.due_at limit $3`;

/** $1 now. Boards that wait for quiet or a retry, and boards that wait for the worker. */
export const DEPTH = `
    select count(*) filter (where due_at > coalesce($1::timestamptz, now()))::int as waiting,
      count(*) filter (where due_at <= coalesce($1::timestamptz, now()))::int as ready
    from job where queue = 'notion-sync' and state in ('open', 'retry')`;
