-- The status of each person's board at a given time. It is a function beside the view
-- notion_user_status, because whether a board is waiting or ready depends on the time.
create or replace function notion_user_status_at(at timestamptz)
returns table (user_id text, state text, due_at timestamptz, failures int, queue_wait_ms float8,
  time_to_ready_ms float8, run_ms float8, runs bigint, reruns bigint, loaded int, processed int,
  updated int, dropped int, api_calls int, total_loaded bigint, total_processed bigint,
  total_updated bigint, total_dropped bigint, total_api_calls bigint, last_end text,
  last_reason text, last_ended_at timestamptz, looked_at timestamptz)
language sql stable as $$
  with live as (
    select distinct on (key) key, state, due_at, failures from job
    where queue = 'notion-sync' and state in ('open', 'running', 'retry')
    order by key, array_position(array['running', 'retry', 'open'], state), id)
  select coalesce(j.key, u.user_id::text),
    case when j.key is null then 'idle' when j.state <> 'open' then j.state
         when j.due_at <= at then 'ready' else 'waiting' end,
    j.due_at, coalesce(j.failures, 0), u.queue_wait_ms, u.time_to_ready_ms, u.run_ms,
    coalesce(u.runs, 0), coalesce(u.reruns, 0), u.loaded, u.processed, u.updated, u.dropped,
    u.api_calls, u.total_loaded, u.total_processed, u.total_updated, u.total_dropped,
    u.total_api_calls, u.last_end, u.last_reason, u.last_ended_at, u.looked_at
  from live j full join notion_user u on u.user_id::text = j.key
$$;
