-- The last message before the consent in force: what has a higher number was written under it. Null: consent
-- was never given, or in an insert; then the times are compared.
alter table conversation add column consent_seq int;

-- The trigger, and not each writer, sets it, so that replicas of the version before set it too. They do
-- so under the lock of the row, as every message takes its number.
create function note_consent_seq() returns trigger language plpgsql as $$
begin
  new.consent_seq := new.last_seq;
  return new;
end $$;

create trigger conversation_consent_seq before update of consent_at on conversation
  for each row execute function note_consent_seq();
