-- What models were asked.

-- A logical request to a model, for a flush, a passage or a voice: one row for any number of
-- attempts. `replay`: the request for a reply was sent again (colloquy replay).
create table llm_request (
  id bigint generated always as identity primary key,
  subject text not null,
  purpose text not null
    check (purpose in ('interview', 'embed', 'rerank', 'score', 'transcribe', 'replay')),
  n int not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint llm_request_subject_purpose_n_key unique (subject, purpose, n)
);
create unique index llm_request_one_interview on llm_request (subject) where purpose = 'interview';

-- One HTTP request to a model, inserted before it is sent.
--   round: number of the request within the tool loop of an answer: one more than the calls that
--     have their result
--   is_fallback: the second model was asked
-- The free space in the pages lets the outcome be written into the page of the attempt. The outcomes of
-- the last minutes are read every few seconds by `sent_at`, which is never updated.
create table llm_attempt (
  id bigint generated always as identity primary key,
  request_id bigint not null references llm_request(id) on delete cascade,
  epoch int not null,
  round int not null default 1,
  model text not null,
  is_fallback bool not null default false,
  outcome text not null default 'sent',
  input_tokens int,
  output_tokens int,
  cost_usd numeric(12,6),
  latency_ms int,
  error text,
  sent_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
) with (fillfactor = 80);
create index llm_attempt_request on llm_attempt (request_id);
create index llm_attempt_sent on llm_attempt (sent_at);
