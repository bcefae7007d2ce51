-- Adds a stored message to the conversation's open buffer, or opens a new buffer. The caller holds
-- the lock of the conversation. buffer_append contains the same statement.
create or replace function buffer_join(
  p_conversation uuid, p_weight int, p_holds int, p_worker text, p_now timestamptz,
  p_window_ms float8, p_max_wait_ms float8, p_max_size int, p_max_chars int,
  p_trace text default null,
  out buffer_id bigint, out due_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_quiet timestamptz := v_now + p_window_ms * interval '1 millisecond';
begin
  insert into job as j (queue, key, first_at, quiet_at, due_at, weight, holds, worker, trace)
  values ('flush', p_conversation::text, v_now, v_quiet,
    debounce_due_at(v_now, v_quiet, 1, p_weight, p_holds, v_now,
      p_max_wait_ms, p_max_size, p_max_chars),
    p_weight, p_holds, p_worker, p_trace)
  on conflict (queue, key) where state = 'open' do update set
    count = j.count + 1, weight = j.weight + excluded.weight, holds = j.holds + excluded.holds,
    sealed = false, worker = excluded.worker,
    quiet_at = greatest(j.quiet_at, excluded.quiet_at),
    due_at = debounce_due_at(j.first_at, greatest(j.quiet_at, excluded.quiet_at), j.count + 1,
      j.weight + excluded.weight, j.holds + excluded.holds, v_now,
      p_max_wait_ms, p_max_size, p_max_chars)
  returning j.id, j.due_at into buffer_id, due_at;
end $$;
