-- Typing or recording: extends the wait of the conversation's open buffer, never shortens it, never
-- makes it due, and changes nothing in a sealed or full one. The first sign after a message is also
-- noted at that message, because it ends the pause after it (buffer_quiet_time.sql).
--
-- When the answer becomes long, the conversation is locked before its job, as in buffer_append;
-- otherwise only the job and the message are. Returns no row when there was nothing to extend.
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
  if not found then return; end if;
  if p_learns then
    update message m set typed_at = v_now
    where m.typed_at is null and m.id = (
      select l.id from message l
      where l.conversation_id = p_conversation and l.role = 'user' and l.amends is null
      order by l.seq desc limit 1)
      -- Only a message of the locked job: a commit that clears another one locks that first.
      and m.buffer_id = v_buffer;
  end if;
  return next;
end $$;
