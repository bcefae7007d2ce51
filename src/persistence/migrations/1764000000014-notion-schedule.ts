import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of people's boards, how long they wait for quiet, and the sweep that finds the rest. */
export class NotionSchedule1764000000014 implements MigrationInterface {
  readonly name = 'NotionSchedule1764000000014';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statements of [USERS, SWEEP, QUIET, STATUS]) await queryRunner.query(statements);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** Figures of the last run, and sums of all. `looked_at`: when the board was last read, or should be. */
const USERS = `
create table notion_user (
  user_id uuid primary key,
  looked_at timestamptz,
  last_end text check (last_end in ('ranked', 'partly', 'braked', 'refused', 'dead')),
  last_reason text,
  last_ended_at timestamptz,
  time_to_ready_ms float8,
  queue_wait_ms float8,
  run_ms float8,
  loaded int not null default 0,
  processed int not null default 0,
  updated int not null default 0,
  dropped int not null default 0,
  api_calls int not null default 0,
  runs bigint not null default 0,
  reruns bigint not null default 0,
  total_loaded bigint not null default 0,
  total_processed bigint not null default 0,
  total_updated bigint not null default 0,
  total_dropped bigint not null default 0,
  total_api_calls bigint not null default 0
) with (fillfactor = 70);
create index notion_user_looked on notion_user (looked_at nulls first);
`;

/**
 * paid_until: what the sweep has asked for is its share of the calls until then.
 * walk_…: the walk through the whole data source, page by page of its query.
 */
const SWEEP = `
create table notion_sweep (
  id boolean primary key default true check (id),
  paid_until timestamptz,
  walk_cursor text,
  walk_began_at timestamptz,
  walk_ended_at timestamptz,
  walk_is_whole boolean not null default true
);
insert into notion_sweep default values;
`;

/**
 * How long a change is waited on for more: from least_ms to most_ms, by the greater of two
 * pressures. The limiter's rate is halved by a 429, to an eighth at worst, and recovers by itself;
 * boards that are ready wait anyway, and 20 of them wait for a minute or more. Up to 5 are no queue.
 */
const QUIET = `
create function notion_quiet_ms(least_ms float8, most_ms float8, rate float8, ready int)
returns float8 language sql immutable parallel safe as $$
  select least_ms + greatest(0, most_ms - least_ms)
    * least(1, greatest(0, (1 - rate) / 0.875, (ready - 5) / 15.0))
$$;
`;

/** A function beside the view: waiting or ready is a question of the time. */
const STATUS = `
create function notion_user_status_at(at timestamptz)
returns table (user_id text, state text, due_at timestamptz, failures int, queue_wait_ms float8,
  time_to_ready_ms float8, run_ms float8, runs bigint, reruns bigint, loaded int, processed int,
  updated int, dropped int, api_calls int, total_loaded bigint, total_processed bigint,
  total_updated bigint, total_dropped bigint, total_api_calls bigint, last_end text,
  last_reason text, last_ended_at timestamptz, looked_at timestamptz)
language sql stable as $$
  with live as (
    select distinct on (key) key, state, due_at, failures from task
    where lane = 'notion-sync' and state in ('open', 'running', 'retry')
    order by key, array_position(array['running', 'retry', 'open'], state), id)
  select coalesce(t.key, u.user_id::text),
    case when t.key is null then 'idle' when t.state <> 'open' then t.state
         when t.due_at <= at then 'ready' else 'waiting' end,
    t.due_at, coalesce(t.failures, 0), u.queue_wait_ms, u.time_to_ready_ms, u.run_ms,
    coalesce(u.runs, 0), coalesce(u.reruns, 0), u.loaded, u.processed, u.updated, u.dropped,
    u.api_calls, u.total_loaded, u.total_processed, u.total_updated, u.total_dropped,
    u.total_api_calls, u.last_end, u.last_reason, u.last_ended_at, u.looked_at
  from live t full join notion_user u on u.user_id::text = t.key
$$;
create view notion_user_status as select * from notion_user_status_at(now());
`;
