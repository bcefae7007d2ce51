-- Whoever stores a consent holds the lock of the conversation, under which each message takes its number.
create or replace function note_consent_seq() returns trigger language plpgsql as $$
begin
  new.consent_seq := new.last_seq;
  return new;
end $$;
