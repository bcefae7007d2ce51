-- An interview whose candidate stays silent is reminded, and then expires (src/interview/reminders).
--   time_zone: of the candidate, as their browser named it (IANA); null: it is not known
alter table conversation
  add column time_zone text,
  drop constraint conversation_status_check,
  add constraint conversation_status_check check (status in
    ('new', 'active', 'completed', 'declined', 'withdrawn', 'handed_over', 'expired'));
