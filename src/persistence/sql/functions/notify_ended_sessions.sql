-- Every replica caches the sessions that it has looked up for some seconds. Each statement that
-- deletes sessions, also the cascade of an erasure, notifies the replicas with its commit.
-- `SessionLookup` reads the signal.
create or replace function notify_ended_sessions() returns trigger language plpgsql as $$
begin
  perform pg_notify('colloquy_notices',
    json_build_array(json_build_array('session', e.conversation_id))::text)
  from (select distinct conversation_id from ended) e;
  return null;
end $$;
