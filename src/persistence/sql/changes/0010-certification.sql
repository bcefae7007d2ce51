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
