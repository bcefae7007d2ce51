-- `job.check_at` of a job that is due earlier than before, whichever version or statement has made it so. A trigger
-- that runs before the update would lock each row beforehand, which is a record of the WAL for each message.
create or replace function check_job_earlier() returns trigger language plpgsql as $$
begin
  update job set check_at = new.due_at where id = new.id and check_at > new.due_at;
  return null;
end $$;
