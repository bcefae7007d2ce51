-- Stores an update of a known person in the statement that locks their account. It returns no row
-- when there is no such account, or when an update of the chat was waiting before the lock. A
-- second query under the lock finds updates that began to wait meanwhile.
--   state: the state in which the update was stored; null when the update was stored before
--   p_payload: stored only for an update that waits
create or replace function telegram_take(
  p_bot bigint, p_update bigint, p_chat bigint, p_message bigint, p_payload text, p_now timestamptz
) returns table (account telegram_account, state text) language plpgsql as $$
begin
  select a.* into account from telegram_account a
  where a.user_id = p_chat and not exists (
    select from telegram_update u where u.chat_id = p_chat and u.state = 'waiting')
  for no key update;
  if not found then return; end if;

  insert into telegram_update as t
    (bot_id, update_id, chat_id, message_id, state, payload, received_at, account_id)
  select p_bot, p_update, p_chat, p_message, case when w.waits then 'waiting' else 'handled' end,
    case when w.waits then p_payload::jsonb end, coalesce(p_now, clock_timestamp()), p_chat
  from (select exists (
    select from telegram_update u where u.chat_id = p_chat and u.state = 'waiting') as waits) w
  on conflict do nothing returning t.state into state;
  return next;
end $$;
