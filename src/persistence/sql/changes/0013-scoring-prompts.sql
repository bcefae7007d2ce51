-- The texts of the prompts that scores were asked with: a decision file shows them.
create table scoring_prompt (
  hash text primary key,
  name text not null,
  version int not null,
  text text not null,
  created_at timestamptz not null
);
