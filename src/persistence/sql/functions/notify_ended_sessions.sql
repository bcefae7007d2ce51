-- Every replica remembers for some seconds which sessions it has looked up. Whatever deletes a
-- session, an erasure's cascade included, notifies them with its commit; `SessionLookup` reads it.
create or replace function notify_ended_sessions() returns trigger language plpgsql as $$
begin
  perform pg_notify('colloquy_notices',
    json_build_array(json_build_array('session', e.conversation_id))::text)
  from (select distinct conversation_id from ended) e;
  return null;
end $$;

create or replace trigger web_session_ended after delete on web_session
  referencing old table as ended for each statement execute function notify_ended_sessions();
