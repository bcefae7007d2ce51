-- Of a consent that was given before the change above, only the times say what came before it.
update conversation c
set consent_seq = (select coalesce(max(m.seq), 0) from message m
  where m.conversation_id = c.id and m.role = 'user' and m.received_at < c.consent_at)
where c.consent_at is not null and c.consent_seq is null;
