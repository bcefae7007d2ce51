-- Whether a candidate's message had come before the last reply of its conversation reached the candidate:
-- the reply was stored or delivered after it, or is not delivered yet. For a message that waits, or whose
-- turn is being opened; a turn decides it under the conversation's lock.
create or replace function came_before_reply(
  p_conversation uuid, p_seq int, p_received_at timestamptz
) returns bool language sql stable parallel safe as $$
  select coalesce((
    select t.state = 'replied' or t.completed_at > p_received_at or r.seq > p_seq
    from turn t left join message r on r.id = t.reply_message_id
    where t.conversation_id = p_conversation and t.state in ('replied', 'delivered')
    order by t.id desc limit 1), false)
$$;
