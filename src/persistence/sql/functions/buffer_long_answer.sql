-- Notes that an answer has become long, once for each answer: stores the job that tells the candidate
-- that it is being read. Called in the statement that made the answer long, under the conversation's
-- lock. Returns whether the job was stored.
create or replace function note_long_answer(p_conversation uuid, p_answer bigint, p_now timestamptz)
returns bool language plpgsql as $$
begin
  update conversation set long_answer = p_answer
  where id = p_conversation and long_answer is distinct from p_answer;
  if not found then return false; end if;
  insert into job (queue, key, first_at, due_at, check_at, payload)
  values ('long-answer', p_conversation::text, p_now, p_now, p_now,
    jsonb_build_object('answerId', p_answer::text))
  on conflict (queue, key) where state = 'open' do update set payload = excluded.payload;
  return true;
end $$;
