-- Stores a candidate's message in the open buffer. A message that is stored already changes nothing:
-- neither a limit nor the end of the interview refuses it. The update locks the conversation, takes the
-- number of the message and counts it against the limits, all at once; a refused message updates nothing.
-- If another transaction stores the same message while the update waits for its lock, this call fails
-- with a violation of the unique index of message ids, and the caller runs again.
--
--   p_from_candidate: stores the message only in an open interview, moves the interview to the
--     channel of the message, and reads the open question from its plan
--   p_end_odds, p_enough, p_floor_ms, p_ceiling_ms: for the learned quiet time of a message that ends
--     like this one (buffer_quiet_time.sql), and its bounds. Without p_enough the setting p_window_ms
--     holds, and on a channel that nothing was learned on
--   p_long_chars, p_long_ms: when an answer counts as long (buffer_long_answer.sql); 0: never
--   p_trace: of the message, kept by the buffer that it opens
--   refused_by: the limit, or why the interview is not open; null for a stored message
--   is_long: this message made the answer long
--
-- before_reply is true until the turn opens, which decides it (buffer_before_reply.sql).
--
-- Every message runs this function, and each assignment of plpgsql costs as much as an index lookup. So
-- the statements themselves set the variables. The timer and the message are written by two statements,
-- because the second one must see a claim for which the first one has waited.
--
-- The function returns no message when there is no such conversation.
create or replace function buffer_append(
  p_conversation uuid, p_message uuid, p_channel text, p_external_id text, p_content_type text,
  p_text text, p_question text, p_amends uuid, p_weight int, p_holds int, p_worker text,
  p_now timestamptz, p_window_ms float8, p_max_wait_ms float8, p_max_size int, p_max_chars int,
  p_audio_bytes bigint default 0, p_limit_messages int default null,
  p_limit_chars bigint default null, p_limit_audio_bytes bigint default null,
  p_from_candidate bool default false, p_end_odds float8 default 1, p_enough int default null,
  p_floor_ms float8 default 0, p_ceiling_ms float8 default 0,
  p_long_chars int default 0, p_long_ms float8 default 0, p_trace text default null,
  out message_id uuid, out seq int, out buffer_id bigint, out due_at timestamptz,
  out has_other_text bool, out refused_by text, out is_long bool
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_quiet timestamptz;
  v_question text;
  v_long_answer bigint;
begin
  update conversation c set last_seq = c.last_seq + 1, sent_messages = c.sent_messages + 1,
    sent_chars = c.sent_chars + p_weight, sent_audio_bytes = c.sent_audio_bytes + p_audio_bytes,
    channel = case when p_from_candidate then p_channel else c.channel end
  where c.id = p_conversation
    and not exists (select from message m where m.conversation_id = p_conversation
      and m.channel = p_channel and m.external_id = p_external_id)
    and (not p_from_candidate
      or c.consent_accepted and c.status not in ('new', 'declined', 'withdrawn'))
    and (c.sent_messages >= p_limit_messages) is not true
    and (p_weight > 0 and c.sent_chars + p_weight > p_limit_chars) is not true
    and (p_audio_bytes > 0 and c.sent_audio_bytes + p_audio_bytes > p_limit_audio_bytes) is not true
  returning c.last_seq,
    case when p_from_candidate
      then c.plan #>> array['questions', c.state ->> 'questionIndex', 'id'] else p_question end,
    coalesce(p_now, clock_timestamp()),
    coalesce(p_now, clock_timestamp()) + interval '1 millisecond'
      * case when p_enough is null or c.quiet_channel is distinct from p_channel then p_window_ms
          else least(p_ceiling_ms, greatest(p_floor_ms, c.quiet_ms[2 + sign(p_end_odds - 1)::int])) end,
    c.long_answer, p_message, false
  into seq, v_question, v_now, v_quiet, v_long_answer, message_id, has_other_text;
  if not found then
    is_long := false;
    select m.id, m.seq, m.buffer_id,
      coalesce(case when j.state in ('open', 'retry') then j.due_at end, m.received_at),
      m.content_type = 'TEXT' and m.edited_at is null and m.text <> p_text
        or p_content_type = 'TEXT' and m.content_type <> 'TEXT'
    into message_id, seq, buffer_id, due_at, has_other_text
    from message m left join job j on j.id = m.buffer_id
    where m.conversation_id = p_conversation and m.channel = p_channel
      and m.external_id = p_external_id;
    if found then return; end if;
    select case
      when p_from_candidate and c.status in ('declined', 'withdrawn') then 'closed'
      when p_from_candidate and c.consent_accepted is not true then 'consent'
      when p_from_candidate and c.status = 'new' then 'profile'
      when c.sent_messages >= p_limit_messages then 'messages'
      when p_weight > 0 and c.sent_chars + p_weight > p_limit_chars then 'chars'
      when p_audio_bytes > 0 and c.sent_audio_bytes + p_audio_bytes > p_limit_audio_bytes then 'audio'
      end
    into refused_by from conversation c where c.id = p_conversation;
    if not found then
      refused_by := case when p_from_candidate then 'unknown' end;
    elsif refused_by is null then
      raise serialization_failure using message = 'the conversation has changed since the update';
    end if;
    return;
  end if;

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
  returning j.id, j.due_at,
    j.id is distinct from v_long_answer and (p_long_chars > 0 and j.weight >= p_long_chars
      or p_long_ms > 0 and v_now >= j.first_at + p_long_ms * interval '1 millisecond')
  into buffer_id, due_at, is_long;

  insert into message (id, conversation_id, seq, role, channel, external_id, content_type, text,
    question_context, amends, received_at, buffer_id, before_reply)
  values (p_message, p_conversation, seq, 'user', p_channel, p_external_id, p_content_type, p_text,
    v_question, p_amends, v_now, buffer_id, true);
  if is_long then
    is_long := note_long_answer(p_conversation, buffer_id, v_now);
  end if;
end $$;
