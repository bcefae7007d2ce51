-- `candidate.has_agreed`, after an interview has begun, has been agreed to or declined, or has another candidate: an
-- interview is deleted with its candidate only. The candidate's row is locked first: the next statement then sees what
-- others have committed meanwhile.
create or replace function note_agreed() returns trigger language plpgsql as $$
begin
  if new.consent_accepted then
    perform from candidate where id = new.candidate_id for no key update;
    update candidate set has_agreed = true where id = new.candidate_id and not has_agreed;
  end if;
  if tg_op = 'UPDATE' and old.consent_accepted
      and (new.consent_accepted is not true or new.candidate_id <> old.candidate_id) then
    perform note_not_agreed(old.candidate_id);
  end if;
  return null;
end $$;

-- Rare, and the only one that reads interviews. A connection keeps the plan of a function from when its tables were
-- small, so it never reads a table from end to end.
create or replace function note_not_agreed(noted uuid) returns void language plpgsql
set enable_seqscan = off as $$
begin
  perform from candidate where id = noted for no key update;
  update candidate set has_agreed = false where id = noted and has_agreed and not exists (
    select from conversation where candidate_id = noted and consent_accepted);
end $$;
