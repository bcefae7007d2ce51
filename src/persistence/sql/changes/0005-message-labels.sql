-- What each message of an answer is, as the interviewer read it and code checked it.
--   question_id: the question of the plan to which it belongs; null for questions and asides
--   corrects: the earlier message that it corrects; the label stays when that message is gone
--   touches: later questions that the answer touches on
create table message_label (
  message_id uuid primary key references message(id) on delete cascade,
  label text not null
    check (label in ('answer', 'addition', 'correction', 'question', 'aside')),
  question_id text,
  corrects uuid references message(id) on delete cascade,
  touches text[] not null default '{}'
);
create index message_label_corrects on message_label (corrects) where corrects is not null;

-- When the candidate objected to automated processing: nothing of the interview is scored.
alter table conversation add column automated_processing_objected_at timestamptz;

-- The interviewer's instructions that led to the reply, by name, version and hash; null without a model.
alter table turn add column prompt text;
