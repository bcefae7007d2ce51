-- What other rooms ask about an interview. Only the interview decides it: SQL calls these functions, and
-- TypeScript reads the first one with the row (ConversationRow).

-- Why an interview takes no message of its candidate; null: it takes them. A message that is stored already
-- is found in any case.
--   closed: its candidate has declined or withdrawn
--   consent, profile: the candidate has not agreed yet, or has not said who they are
create or replace function why_not_open(status text, consent_accepted bool) returns text
language sql immutable parallel safe as $$
  select case
    when status in ('declined', 'withdrawn') then 'closed'
    when consent_accepted is not true then 'consent'
    when status = 'new' then 'profile' end
$$;

-- The id of the question that waits for an answer; null: none is left. `questionAt` in
-- interview/plan/state.ts has decided it.
create or replace function open_question(state jsonb) returns text
language sql immutable parallel safe as $$
  select state ->> 'openQuestion'
$$;

-- Whether what is sent to the candidate now waits for an answer.
create or replace function awaits_answer(status text) returns bool
language sql immutable parallel safe as $$
  select status = 'active'
$$;

-- Whether an answer has its reply, or is part of a later one.
create or replace function has_reply(p_answer bigint) returns bool
language sql stable parallel safe as $$
  select exists (select from turn
    where answer_id = p_answer and state in ('replied', 'delivered', 'merged'))
$$;

-- Whether a reply that was stored since then is still being delivered.
create or replace function is_delivering(p_conversation uuid, p_since timestamptz) returns bool
language sql stable parallel safe as $$
  select exists (select from turn u
    where u.conversation_id = p_conversation and u.state = 'replied' and u.replied_at > p_since
      and not delivery_given_up(u.id))
$$;

-- Whether a later reply of the conversation was delivered: this one would arrive out of order.
create or replace function is_reply_passed(p_conversation uuid, p_turn bigint) returns bool
language sql stable parallel safe as $$
  select exists (select from turn
    where conversation_id = p_conversation and id > p_turn and state = 'delivered')
$$;

-- The conversation that a job works for; null: none, or it is erased.
create or replace function conversation_of_job(p_queue text, p_key text) returns uuid
language sql stable parallel safe as $$
  select case
    when p_queue = 'flush' then (select c.id from conversation c where c.id = p_key::uuid)
    when p_queue in ('transcribe', 'fetch-file')
      then (select m.conversation_id from message m where m.id = p_key::uuid) end
$$;
