-- Stores an update of a person who is known, in the statement that locks their account. No row:
-- there is no such account, or something of its chat waits, as far as can be seen before the lock.
-- `state`: as what it was stored; null: it was known already. A second look under the lock finds what
-- was left to wait meanwhile; `p_payload` is kept of an update that waits.
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
