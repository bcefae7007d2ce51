-- A list finds what is scored, decided or opened by columns of its own rows, because an index cannot look
-- into another table. These triggers set the columns, so that no writer can forget them. Each locks the row that
-- the facts are about first: its next statement then sees what others have committed meanwhile. A connection
-- keeps the plan of a trigger from when its tables were small, so they never read a table from end to end, and
-- never all of a vacancy: `is not distinct from` is a condition that no index is chosen for.

-- `conversation.is_scored`, after a scoring begins, ends or is deleted.
create or replace function note_scored() returns trigger language plpgsql
set enable_seqscan = off as $$
declare
  scored uuid := coalesce(new.conversation_id, old.conversation_id);
begin
  perform from conversation where id = scored for no key update;
  update conversation set is_scored = not is_scored
  where id = scored and is_scored <> exists (
    select from score_run where conversation_id = scored and state = 'done');
  return null;
end $$;

-- `conversation.is_decided`, after a decision is recorded or deleted.
create or replace function note_decided() returns trigger language plpgsql
set enable_seqscan = off as $$
declare
  decided uuid := coalesce(new.candidate_id, old.candidate_id);
begin
  perform from candidate where id = decided for no key update;
  update conversation set is_decided = not is_decided
  where candidate_id = decided and is_decided <> exists (
    select from decision where candidate_id = decided);
  return null;
end $$;

-- `conversation.is_decided` of a new interview, and `invitation.is_opened` of the invitations of its candidate.
-- An interview is deleted with its candidate only, and so are the invitations.
create or replace function note_interview() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  perform from candidate where id = new.candidate_id for no key update;
  new.is_decided := exists (select from decision where candidate_id = new.candidate_id);
  update invitation set is_opened = true
  where candidate_id = new.candidate_id and vacancy_id is not distinct from new.vacancy_id and not is_opened;
  if tg_op = 'UPDATE' and old.candidate_id <> new.candidate_id then
    update invitation set is_opened = false
    where candidate_id = old.candidate_id and vacancy_id is not distinct from old.vacancy_id and is_opened
      and not exists (select from conversation where candidate_id = old.candidate_id
        and vacancy_id is not distinct from old.vacancy_id and id <> old.id);
  end if;
  return new;
end $$;

-- `invitation.is_opened` of one that is issued again after its interview has begun.
create or replace function note_invitation() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  perform from candidate where id = new.candidate_id for no key update;
  new.is_opened := exists (select from conversation
    where candidate_id = new.candidate_id and vacancy_id is not distinct from new.vacancy_id);
  return new;
end $$;
