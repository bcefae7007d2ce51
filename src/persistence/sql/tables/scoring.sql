-- Scores, what people decided, and the proof that scores may be shown.

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
--   is_adverse: it is one against the candidate
--   letter_by, letter_at: who wrote the letter about it, and when
--   letter_reminded_at: when a person was reminded that there is none
create table decision (
  id bigint generated always as identity primary key,
  candidate_id uuid not null references candidate(id) on delete cascade,
  decided_by text not null,
  reason text not null,
  decided_at timestamptz not null,
  is_adverse bool not null default true,
  letter_by text,
  letter_at timestamptz,
  letter_reminded_at timestamptz
);
create index decision_candidate on decision (candidate_id);

-- The chain of decision files: only hashes, so it stays whole after an erasure and names nobody.
create table decision_file (
  n int primary key,
  hash text not null,
  previous_hash text,
  made_at timestamptz not null
);

-- The texts of the prompts that scores were asked with: a decision file shows them.
create table scoring_prompt (
  hash text primary key,
  name text not null,
  version int not null,
  text text not null,
  created_at timestamptz not null
);

-- One answer that people rate by one criterion. The id is random, so it names nobody and shows no
-- order. `input_hash` is the hash of what a model is asked about it, as in score_sample: an answer
-- that was corrected since, or another rubric, is another item.
create table rating_item (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid not null references conversation(id) on delete cascade,
  question_id text not null,
  criterion text not null,
  rubric_hash text not null references rubric_version(hash),
  input_hash text not null,
  constraint rating_item_key unique (conversation_id, question_id, criterion, rubric_hash, input_hash)
);
create index rating_item_rubric on rating_item (rubric_hash);

-- What a person gave it. A person rates an item once, so nobody changes a mark after seeing the model's.
create table person_rating (
  item_id uuid not null references rating_item(id) on delete cascade,
  rater text not null,
  mark int not null check (mark between 1 and 5),
  rated_at timestamptz not null
);
create unique index person_rating_once on person_rating (item_id, lower(rater));

-- The rubric, model and prompt whose scores people may see, with the figures of that day.
create table certification (
  rubric_hash text not null references rubric_version(hash),
  model text not null,
  prompt_hash text not null,
  figures jsonb not null,
  certified_at timestamptz not null,
  primary key (rubric_hash, model, prompt_hash)
);

-- The last fairness run of a rubric, model and prompt.
create table fairness_result (
  rubric_hash text not null references rubric_version(hash),
  model text not null,
  prompt_hash text not null,
  is_passed boolean not null,
  figures jsonb not null,
  measured_at timestamptz not null,
  primary key (rubric_hash, model, prompt_hash)
);
