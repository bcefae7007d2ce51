-- Interviews: what was said, and the turns.

-- One interview of one candidate.
--   plan: a copy of the vacancy's plan, made at the start
--   last_seq: number of the last message
--   consent_seq: the last message before the consent in force: what has a higher number was written
--     under it. A trigger sets it, so that no writer of the consent can forget it. Null: before all
--     messages.
--   automated_processing_objected_at: since then nothing of the interview is scored
--   agent: the agent that spoke last and begins the next reply
--   channel: where the candidate wrote last; notices go there
--   time_zone: of the candidate, as their browser named it (IANA); null: it is not known
--   owner: who replies to the candidate
--   takeovers: grows when a person takes over, which shows that a reply was begun before it
--   long_answer: the buffer of the last answer whose candidate was told that it is being read. It is
--     no foreign key, because ended jobs are deleted.
--   sent_messages, sent_chars, sent_audio_bytes: how much the candidate has sent. They are counted
--     here because an append locks and writes this row anyway, so the limits need no extra
--     statement.
-- How the candidate pauses (functions/buffer_quiet_time.sql):
--   paced_messages: how many messages on the present channel were learned from
--   paced_seq: the last of them
--   gaps: after how many of them another message of the same answer came
--   gap_mean, gap_variance: of the logarithm of these pauses in milliseconds; recent ones count more
--   quiet_ms: the learned quiet time after a message that looks complete, unclear or unfinished,
--     before its bounds are applied; it holds on quiet_channel only; null until enough is known there
-- `channel`, `last_seq` and what is counted of messages stand together, because each message changes them and
-- PostgreSQL logs a row from its first changed byte to the last one. The free space in the pages (fillfactor) lets
-- updates stay in their page (HOT).
create table conversation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy(id),
  candidate_id uuid not null references candidate(id) on delete cascade,
  invitation_id uuid references invitation(id),
  language text not null,
  plan jsonb not null,
  status text not null default 'new',
  interview_step int not null default 0,
  state jsonb not null,
  consent_version text,
  consent_accepted bool,
  consent_at timestamptz,
  consent_seq int,
  automated_processing_objected_at timestamptz,
  metadata jsonb not null default '{}',
  metadata_version int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  agent text not null default 'greeter',
  time_zone text,
  owner text not null default 'model',
  takeovers int not null default 0,
  long_answer bigint,
  channel text not null default 'web',
  last_seq int not null default 0,
  sent_messages int not null default 0,
  sent_chars bigint not null default 0,
  sent_audio_bytes bigint not null default 0,
  paced_messages int not null default 0,
  paced_seq int,
  gaps int not null default 0,
  gap_mean float8 not null default 0,
  gap_variance float8 not null default 0,
  quiet_ms float8[],
  quiet_channel text
) with (fillfactor = 80);
create index conversation_candidate on conversation (candidate_id);
create unique index conversation_invitation on conversation (invitation_id);

create trigger conversation_consent_seq before update of consent_at on conversation
  for each row execute function note_consent_seq();
-- In place of checks, because every message updates this row (functions/refuse_value.sql).
create trigger conversation_language_check after insert or update of language on conversation
  for each row when (new.language <> all ('{ru,en}'))
  execute function refuse_value('language');
create trigger conversation_status_check after insert or update of status on conversation
  for each row when (new.status
    <> all ('{new,active,completed,declined,withdrawn,handed_over,expired}'))
  execute function refuse_value('status');
create trigger conversation_owner_check after insert or update of owner on conversation
  for each row when (new.owner <> all ('{model,asked,person}'))
  execute function refuse_value('owner');

-- Lines of a transcript, and events between them: an agent takes over from another one, a tool is
-- called and responds (role 'event'). `seq` numbers both together.
--   question_context: the question of the plan that was open when the line was said
--   question_at: where that question begins in what the interviewer said, in UTF-16 units
--   typed_at: when the candidate began to type after this message; null: not known
--   answer_id: the answer to which a candidate's line belongs: its job's id. It is no foreign key,
--     because ended jobs are deleted.
--   before_reply: see functions/buffer_before_reply.sql; true until the turn opens
--   cleared_at: when the line stopped waiting for a reply; code's own lines never wait
--   request_id: the request of the chat client that brought the line; the newest request of an
--     answer waits for the reply
--   attachment: what was sent with the text or in place of it
--   joiner: what stood before this part of a text that the client has split
--   amends: the claimed message whose text this line replaces
-- Waiting lines are read by their buffer or within one conversation. Only voices without a
-- transcript have an index of their own. `cleared_at` is in no index, so clearing an answer writes
-- no index (HOT). PostgreSQL parses every check anew in each statement that writes the table, and an
-- array of one literal is much shorter than a list: so the checks of the tables that each message
-- writes are `= any`.
create table message (
  id uuid primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  seq int not null,
  role text not null check (role = any ('{user,assistant,system,event}')),
  channel text not null,
  external_id text not null,
  content_type text not null default 'TEXT'
    check (content_type = any ('{TEXT,VOICE,FILE}')),
  text text not null,
  question_context text,
  question_at int,
  received_at timestamptz not null,
  edited_at timestamptz,
  typed_at timestamptz,
  answer_id bigint,
  turn_id bigint,
  before_reply bool not null default false,
  partial bool not null default false,
  amends uuid references message(id),
  cleared_at timestamptz,
  chat_id text,
  request_id uuid,
  event jsonb,
  attachment jsonb,
  joiner text,
  from_person bool not null default false,
  constraint message_conversation_id_channel_external_id_key
    unique (conversation_id, channel, external_id),
  constraint message_conversation_id_seq_key unique (conversation_id, seq),
  constraint message_event_check check ((role = 'event') = (event is not null))
) with (fillfactor = 80);
create index message_amends on message (amends) where amends is not null;
create index message_answer on message (answer_id) where answer_id is not null;
create index message_pending on message (conversation_id)
  where ((content_type = 'VOICE') and (text = ''));
create index message_turn_event on message (turn_id, seq) where role = 'event';

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

-- One answer and its reply.
--   answer_id: the answer's job; no foreign key, because ended jobs are deleted
--   claim_no: the claim that opened the epoch. The epoch is being written while that claim holds.
--   merged_into: the later turn that took over the messages of this one
--   prompt: the interviewer's instructions that led to the reply, by name, version and hash; null
--     without a model
create table turn (
  id bigint generated always as identity primary key,
  answer_id bigint not null unique,
  conversation_id uuid not null references conversation(id) on delete cascade,
  interview_step int not null,
  channel text not null,
  state text not null default 'opened'
    check (state = any ('{opened,replied,delivered,failed,expired,merged}')),
  merged_into bigint references turn(id),
  message_count int not null,
  epoch int not null default 1,
  claim_no int not null default 0,
  verdict text,
  decision jsonb,
  agent text,
  prompt text,
  reply_message_id uuid not null,
  reply_text text,
  partial bool not null default false,
  stop_requested_at timestamptz,
  replied_by text,
  error text,
  started_at timestamptz not null,
  replied_at timestamptz,
  completed_at timestamptz
);
create index turn_conversation on turn (conversation_id, id);
create index turn_merged_into on turn (merged_into) where merged_into is not null;
create index turn_undelivered on turn (conversation_id) where state in ('opened', 'replied');

-- Voice messages of candidates: audio, transcript, and how the transcription ended
-- (src/interview/voice). Audio is compressed already, so PostgreSQL does not compress it again.
create table voice (
  message_id uuid primary key references message(id) on delete cascade,
  state text not null check (state in ('announced', 'kept', 'heard', 'unheard')),
  mime_type text not null,
  file_name text,
  duration_s real,
  size_bytes int not null,
  source text,
  bytes bytea,
  transcript text,
  problem text,
  settled_at timestamptz
);
alter table voice alter column bytes set storage external;
create index voice_waiting on voice (message_id) where state in ('announced', 'kept');
create index voice_with_bytes on voice (message_id) where bytes is not null;

-- Files that candidates send: their bytes, and whether they were kept (src/interview/files). They
-- are stored uncompressed, so that a part can be read without the whole file.
--   state: `deleted` when the retention time of the bytes is over
create table file (
  message_id uuid primary key references message(id) on delete cascade,
  state text not null check (state in ('announced', 'kept', 'refused', 'deleted')),
  name text not null,
  mime_type text,
  size_bytes int not null,
  source text,
  bytes bytea,
  needs_password bool not null default false,
  problem text,
  settled_at timestamptz
);
alter table file alter column bytes set storage external;
create index file_announced on file (message_id) where state = 'announced';
create index file_with_bytes on file (message_id) where bytes is not null;

-- One request to a model for a reply. `input` names the messages by id, so that what a candidate wrote
-- is not stored twice; `prompt_hash` and `input_hash` prove that a request that is built from it again
-- is the one that was sent. `output` is what the model wrote; null while it has not ended. Type json
-- and not jsonb, because the order of the keys is part of what was sent.
create table reply_request (
  attempt_id bigint primary key references llm_attempt(id) on delete cascade,
  turn_id bigint not null references turn(id) on delete cascade,
  model text not null,
  parameters json not null,
  prompt_hash text not null,
  input json not null,
  input_hash text not null,
  output json
);
create index reply_request_turn on reply_request (turn_id);
