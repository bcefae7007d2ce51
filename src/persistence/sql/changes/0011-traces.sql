-- The W3C traceparent of what opened the job, so that one answer is one trace on all replicas: the
-- message that opened the buffer, the turn that stored the reply.
alter table job add column trace text;

-- The new definitions have more parameters, so they would stand beside the old ones, which a new
-- database never had.
drop function if exists buffer_append(uuid, uuid, text, text, text, text, text, uuid, int, int, text,
  timestamptz, float8, float8, int, int, bigint, int, bigint, bigint, bool, float8, int, float8, float8,
  int, float8);
drop function if exists buffer_join(uuid, int, int, text, timestamptz, float8, float8, int, int);
