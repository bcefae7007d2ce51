-- Items that a person has to look at.
--   subject: topic and id. There is one open item for each kind and subject.
--   under: the subject of the item under which this one is listed while that one is open
-- The index attention_job serves a query that runs every five seconds: does a waiting job have an
-- item already?
create table attention (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  under text,
  conversation_id uuid references conversation(id) on delete cascade,
  job_id bigint,
  reason text not null,
  created_at timestamptz not null default clock_timestamp(),
  alert_due_at timestamptz,
  alerted_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  resolution text
);
create index attention_conversation on attention (conversation_id);
create index attention_job on attention (job_id) where kind = 'waiting';
create unique index attention_one_open on attention (kind, subject) where closed_at is null;
create index attention_open on attention (created_at) where closed_at is null;
create index attention_unalerted on attention (alert_due_at) where alerted_at is null;
create index attention_under on attention (under, id)
  where closed_at is null and under is not null;
