-- Interviews: what was said, the turns, and what models were asked.

-- One interview of one candidate.
--   plan: a copy of the vacancy's plan, made at the start
--   last_seq: number of the last message
--   agent: the agent that spoke last and begins the next reply
--   channel: where the candidate wrote last; notices go there
--   sent_messages, sent_chars, sent_audio_bytes: how much the candidate has sent. They are counted
--     here because an append locks and writes this row anyway, so the limits need no extra
--     statement.
--   owner: who replies to the candidate
--   takeovers: grows when a person takes over, which shows that a reply was begun before it
-- The free space in the pages (fillfactor) lets updates stay in their page (HOT).
create table conversation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy(id),
  candidate_id uuid not null references candidate(id) on delete cascade,
  invitation_id uuid references invitation(id),
  language text not null check (language in ('ru', 'en')),
  plan jsonb not null,
  status text not null default 'new'
    check (status in ('new', 'active', 'completed', 'declined', 'withdrawn', 'handed_over')),
  interview_step int not null default 0,
  last_seq int not null default 0,
  state jsonb not null,
  consent_version text,
  consent_accepted bool,
  consent_at timestamptz,
  metadata jsonb not null default '{}',
  metadata_version int not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  agent text not null default 'greeter',
  channel text not null default 'web',
  sent_messages int not null default 0,
  sent_chars bigint not null default 0,
  sent_audio_bytes bigint not null default 0,
  owner text not null default 'model',
  takeovers int not null default 0,
  constraint conversation_owner check (owner in ('model', 'asked', 'person'))
) with (fillfactor = 80);
create index conversation_candidate on conversation (candidate_id);
create unique index conversation_invitation on conversation (invitation_id);

-- Lines of a transcript, and events between them: an agent takes over from another one, a tool is
-- called and responds (role 'event'). `seq` numbers both together.
--   buffer_id: the job of the answer to which a candidate's line belongs. It is no foreign key,
--     because ended jobs are deleted.
--   cleared_at: when the line stopped waiting for a reply; code's own lines never wait
--   request_id: the request of the chat client that brought the line; the newest request of an
--     answer waits for the reply
--   attachment: what was sent with the text or in place of it
--   joiner: what stood before this part of a text that the client has split
--   amends: the claimed message whose text this line replaces
-- Waiting lines are read by their buffer or within one conversation. Only voices without a
-- transcript have an index of their own. `cleared_at` is in no index, so clearing an answer writes
-- no index (HOT).
create table message (
  id uuid primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  seq int not null,
  role text not null check (role in ('user', 'assistant', 'system', 'event')),
  channel text not null,
  external_id text not null,
  content_type text not null default 'TEXT' check (content_type in ('TEXT', 'VOICE', 'FILE')),
  text text not null,
  question_context text,
  received_at timestamptz not null,
  edited_at timestamptz,
  buffer_id bigint,
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
create index message_buffer on message (buffer_id) where buffer_id is not null;
create index message_held on message (conversation_id)
  where ((content_type = 'VOICE') and (text = ''));
create index message_turn_event on message (turn_id, seq) where role = 'event';

-- One answer and its reply.
--   flush_id: 'flush:' and the id of the job
--   claim_no: the claim that opened the epoch. The epoch is being written while that claim holds.
--   merged_into: the later turn that took over the messages of this one
create table turn (
  id bigint generated always as identity primary key,
  flush_id text not null unique,
  buffer_id bigint not null unique,
  conversation_id uuid not null references conversation(id) on delete cascade,
  interview_step int not null,
  channel text not null,
  state text not null default 'opened'
    check (state in ('opened', 'answered', 'delivered', 'failed', 'expired', 'merged')),
  merged_into bigint references turn(id),
  message_count int not null,
  epoch int not null default 1,
  verdict text,
  decision jsonb,
  reply_message_id uuid not null,
  reply_text text,
  partial bool not null default false,
  stop_requested_at timestamptz,
  answered_by text,
  error text,
  started_at timestamptz not null,
  answered_at timestamptz,
  completed_at timestamptz,
  claim_no int not null default 0,
  agent text
);
create index turn_conversation on turn (conversation_id, id);
create index turn_merged_into on turn (merged_into) where merged_into is not null;
create index turn_undelivered on turn (conversation_id) where state in ('opened', 'answered');

-- The text of a reply while it is being written, in pieces of about a second, for readers on other
-- replicas. It is deleted when the turn is closed, because the row of the turn then has the whole
-- text.
create table turn_segment (
  turn_id bigint not null references turn(id) on delete cascade,
  epoch int not null,
  start_at int not null,
  text text not null,
  constraint turn_segment_pkey primary key (turn_id, epoch, start_at)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

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

-- Files that candidates send: their bytes, and whether they were kept (src/interview/files). They
-- are stored uncompressed, so that a part can be read without the whole file.
create table file (
  message_id uuid primary key references message(id) on delete cascade,
  state text not null check (state in ('announced', 'kept', 'refused')),
  name text not null,
  mime_type text,
  size_bytes int not null,
  source text,
  bytes bytea,
  problem text,
  settled_at timestamptz
);
alter table file alter column bytes set storage external;
create index file_announced on file (message_id) where state = 'announced';

-- A logical request to a model, for a flush, a passage or a voice: one row for any number of
-- attempts.
create table llm_request (
  id bigint generated always as identity primary key,
  flush_id text not null,
  purpose text not null check (purpose in ('interview', 'embed', 'rerank', 'score', 'transcribe')),
  n int not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint llm_request_flush_id_purpose_n_key unique (flush_id, purpose, n)
);
create unique index llm_request_one_interview on llm_request (flush_id) where purpose = 'interview';

-- One HTTP request to a model, inserted before it is sent.
--   round: number of the request within the tool loop of an answer: one more than the calls that
--     have their result
-- The free space in the pages lets the outcome be written into the page of the attempt.
create table llm_attempt (
  id bigint generated always as identity primary key,
  request_id bigint not null references llm_request(id) on delete cascade,
  epoch int not null,
  model text not null,
  outcome text not null default 'sent',
  input_tokens int,
  output_tokens int,
  cost_usd numeric(12,6),
  latency_ms int,
  error text,
  sent_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  round int not null default 1
) with (fillfactor = 80);
create index llm_attempt_request on llm_attempt (request_id);
