-- The rubrics that answers were scored by. A changed rubric is a new row with the next version.
create table rubric_version (
  hash text primary key,
  vacancy_id uuid not null references vacancy(id),
  question_id text not null,
  version int not null,
  canonical text not null,
  created_at timestamptz not null,
  constraint rubric_version_vacancy_id_question_id_version_key unique (vacancy_id, question_id, version)
);

-- One scoring of one interview. `card` is the scorecard once the run is done.
create table score_run (
  id uuid primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  state text not null check (state in ('running', 'done', 'failed')),
  card jsonb,
  started_at timestamptz not null,
  ended_at timestamptz
);
create index score_run_conversation on score_run (conversation_id);
create unique index score_run_one_running on score_run (conversation_id) where (state = 'running');

-- One request to a model about one criterion or fact. `input` names the messages and their hashes,
-- `output` is what the model wrote, `reading` is what was left of it after the check of its quotes.
create table score_sample (
  id bigint generated always as identity primary key,
  run_id uuid not null references score_run(id) on delete cascade,
  question_id text not null,
  kind text not null check (kind in ('criterion', 'fact')),
  item text not null,
  n int not null,
  rubric_hash text not null,
  model text not null,
  parameters jsonb not null,
  prompt_name text not null,
  prompt_version int not null,
  prompt_hash text not null,
  input jsonb not null,
  input_hash text not null,
  outcome text not null,
  output text,
  reading jsonb not null,
  asked_at timestamptz not null,
  constraint score_sample_run_id_question_id_kind_item_n_key unique (run_id, question_id, kind, item, n)
);

-- What people decided about a candidate, and why.
create table decision (
  id bigint generated always as identity primary key,
  candidate_id uuid not null references candidate(id) on delete cascade,
  decided_by text not null,
  reason text not null,
  decided_at timestamptz not null
);
create index decision_candidate on decision (candidate_id);

-- The chain of decision files: only hashes, so it stays whole after an erasure and names nobody.
create table decision_file (
  n int primary key,
  hash text not null,
  previous_hash text,
  made_at timestamptz not null
);
