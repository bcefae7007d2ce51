-- Typing or recording: extends the wait of the conversation's open buffer, never shortens it, never
-- makes it due, and changes nothing in a sealed or full one. The first sign after a message also ends
-- the pause after that message, which is counted (answer_pace.sql). Later signs write only the job.
--
-- When a pause is counted or the answer becomes long, the conversation is locked before its job, as in
-- buffer_append; otherwise only the job is locked. Returns no row when there was nothing to extend.
create or replace function buffer_activity(
  p_conversation uuid, p_now timestamptz, p_window_ms float8, p_max_wait_ms float8, p_max_size int,
  p_max_chars int, p_learns bool, p_long_ms float8
) returns table (due_at timestamptz, is_long bool) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_quiet timestamptz := v_now + p_window_ms * interval '1 millisecond';
  v_buffer bigint;
  v_first_at timestamptz;
begin
  select j.id, j.first_at into v_buffer, v_first_at from job j
  where j.queue = 'flush' and j.key = p_conversation::text and j.state = 'open' and not j.sealed
    and j.count < p_max_size and j.weight < p_max_chars;
  if not found then return; end if;
  if p_learns then
    update conversation c set
      gaps = c.gaps + 1,
      gap_mean = mean_with_gap(c.gaps, c.gap_mean,
        extract(epoch from v_now - c.gap_since)::float8 * 1000),
      gap_variance = variance_with_gap(c.gaps, c.gap_mean, c.gap_variance,
        extract(epoch from v_now - c.gap_since)::float8 * 1000),
      gap_since = null
    where c.id = p_conversation and c.gap_since is not null and c.gap_step = c.interview_step;
  end if;
  is_long := false;
  if p_long_ms > 0 and v_now >= v_first_at + p_long_ms * interval '1 millisecond' then
    is_long := note_long_answer(p_conversation, v_buffer, v_now);
  end if;

  update job j set quiet_at = greatest(j.quiet_at, v_quiet),
    due_at = debounce_due_at(j.first_at, greatest(j.quiet_at, v_quiet), j.count, j.weight, j.holds,
      v_now, p_max_wait_ms, p_max_size, p_max_chars)
  where j.id = v_buffer and j.state = 'open' and not j.sealed
    and j.count < p_max_size and j.weight < p_max_chars
  returning j.due_at into due_at;
  if found then return next; end if;
end $$;
