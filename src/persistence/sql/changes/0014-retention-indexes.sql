-- The hourly retention reads what is old and not everything: without these it read every message to
-- find the recordings, and every candidate to find the old ones.
create index voice_with_bytes on voice (message_id) where bytes is not null;
create index file_with_bytes on file (message_id) where bytes is not null;
create index candidate_created on candidate (created_at);
