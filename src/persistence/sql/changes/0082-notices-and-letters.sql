alter table vacancy add column notices text[] not null default '{}';

-- Whether the decision is one against the candidate; who wrote the letter about it, and when; when a person
-- was reminded that there is none.
alter table decision
  add column is_adverse bool not null default true,
  add column letter_by text,
  add column letter_at timestamptz,
  add column letter_reminded_at timestamptz;
