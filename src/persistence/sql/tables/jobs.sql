-- Durable work of every queue (src/jobs).
--   key: jobs of the same queue and key run one after the other, in order of id
--   due_at: when the job may be claimed; of a running job, when its lease ends
--   leased_until: the end of the renewed lease. It is in no index, so a heartbeat writes no index.
--   claim_no: fencing token, which only grows
--   failures: counts against the limit of the queue; a replay resets it
--   given_back, given_back_since: how many times and since when the job was given back because its
--     peer failed
--   failed_at: the last failure of the peer. It shows whether the peer fails only for this job.
--   single: only one job of the queue runs at a time in the cluster
--   quiet_at, first_at, count, chars, pending, finished: the debounce of a job that collects work, see
--     functions/debounce_due_at.sql
--   trace: the W3C traceparent of what opened the job, so that one answer is one trace on all replicas:
--     the message that opened the buffer, the turn that stored the reply
-- The index job_ended_key gets an entry once, at the end of a job. An erasure finds the jobs of a
-- person by it, also by a prefix of the key.
create table job (
  id bigint generated always as identity primary key,
  queue text not null,
  key text not null,
  state text not null default 'open',
  due_at timestamptz,
  quiet_at timestamptz,
  first_at timestamptz not null,
  claim_no int not null default 0,
  claims_without_progress int not null default 0,
  failures int not null default 0,
  count int not null default 1,
  chars int not null default 0,
  pending int not null default 0,
  finished bool not null default false,
  payload jsonb,
  worker text,
  last_error text,
  ended_at timestamptz,
  given_back int not null default 0,
  given_back_since timestamptz,
  failed_at timestamptz,
  leased_until timestamptz,
  single bool not null default false,
  trace text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index job_dead on job (queue) where state = 'dead';
create index job_done on job (ended_at) where state = 'done';
create index job_due on job (queue, due_at) where state in ('open', 'retry');
create index job_ended_key on job (key text_pattern_ops) where state in ('done', 'dead');
create index job_given_back on job (given_back_since)
  where ((given_back_since is not null) and (state in ('open', 'running', 'retry')));
create index job_key on job (queue, key, id) where state in ('open', 'running', 'retry');
create index job_lease on job (queue, due_at) where state = 'running';
create unique index job_one_open on job (queue, key) where state = 'open';
create unique index job_one_running on job (queue, key) where state = 'running';
create unique index job_single_running on job (queue) where (state = 'running') and single;

-- In place of a check (functions/refuse_value.sql).
create trigger job_state_check after insert or update of state on job
  for each row when (new.state <> all ('{open,running,retry,done,dead}'))
  execute function refuse_value('state');
