import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Everything the first release stands on. Forward only: a released migration is never edited. */
export class DurableCore1764000000000 implements MigrationInterface {
  readonly name = 'DurableCore1764000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statements of [HIRING, CONVERSATIONS, TASKS, TURNS, DELIVERIES, ATTENTION]) {
      await queryRunner.query(statements);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

const HIRING = `
create table vacancy (
  id uuid primary key,
  slug text not null unique,
  language text not null check (language in ('ru', 'en')),
  title text not null,
  company text not null,
  owner jsonb not null,
  plan jsonb not null,
  open_token text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);

create table candidate (
  id uuid primary key,
  name text,
  contact text,
  telegram_username text,
  created_at timestamptz not null default clock_timestamp()
);

create table invitation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy,
  candidate_id uuid not null references candidate,
  token_hash text not null unique,
  pin_hash text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index invitation_candidate on invitation (candidate_id);
`;

const CONVERSATIONS = `
create table conversation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy,
  candidate_id uuid not null references candidate,
  invitation_id uuid references invitation,
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
  updated_at timestamptz not null default clock_timestamp()
) with (fillfactor = 80);
create unique index conversation_invitation on conversation (invitation_id);
create index conversation_candidate on conversation (candidate_id);

create table web_session (
  token_hash text primary key,
  conversation_id uuid not null references conversation,
  created_at timestamptz not null default clock_timestamp()
);
create index web_session_conversation on web_session (conversation_id);

create table message (
  id uuid primary key,
  conversation_id uuid not null references conversation,
  seq int not null,
  role text not null check (role in ('user', 'assistant', 'system')),
  channel text not null check (channel in ('web', 'telegram', 'code')),
  external_id text not null,
  content_type text not null default 'TEXT' check (content_type in ('TEXT', 'VOICE')),
  text text not null,
  question_context text,
  received_at timestamptz not null,
  edited_at timestamptz,
  buffer_id bigint,
  turn_id bigint,
  before_reply bool not null default false,
  partial bool not null default false,
  amends uuid references message,
  cleared_at timestamptz,
  unique (conversation_id, seq),
  unique (conversation_id, channel, external_id)
) with (fillfactor = 80);
create index message_buffer on message (buffer_id) where buffer_id is not null;
create index message_waiting on message (conversation_id)
  where role = 'user' and cleared_at is null;
`;

const TASKS = `
create table task (
  id bigint generated always as identity primary key,
  lane text not null,
  key text not null,
  state text not null default 'open' check (state in ('open', 'running', 'retry', 'done', 'dead')),
  due_at timestamptz,
  quiet_at timestamptz,
  first_at timestamptz not null,
  claim_no int not null default 0,
  claims_without_progress int not null default 0,
  failures int not null default 0,
  count int not null default 1,
  weight int not null default 0,
  holds int not null default 0,
  sealed bool not null default false,
  payload jsonb,
  worker text,
  last_error text,
  ended_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create unique index task_one_open on task (lane, key) where state = 'open';
create unique index task_one_running on task (lane, key) where state = 'running';
create unique index task_lane_single on task (lane)
  where state = 'running' and lane = 'notion-sync';
create index task_due on task (lane, due_at) where state in ('open', 'retry');
create index task_lease on task (lane, due_at) where state = 'running';
create index task_key on task (lane, key, id) where state in ('open', 'running', 'retry');
create index task_done on task (ended_at) where state = 'done';
create index task_dead on task (lane) where state = 'dead';
`;

const TURNS = `
create table turn (
  id bigint generated always as identity primary key,
  flush_id text not null unique,
  buffer_id bigint not null unique,
  conversation_id uuid not null references conversation,
  interview_step int not null,
  channel text not null,
  state text not null default 'opened'
    check (state in ('opened', 'answered', 'delivered', 'failed', 'expired', 'merged')),
  merged_into bigint references turn,
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
  completed_at timestamptz
) with (fillfactor = 80);
create index turn_conversation on turn (conversation_id, id);
create index turn_undelivered on turn (conversation_id) where state in ('opened', 'answered');

create view flush_log as
  select t.flush_id, c.candidate_id as user_id, t.conversation_id, t.interview_step,
    t.message_count, t.started_at, t.completed_at,
    case when t.state in ('opened', 'answered') then 'pending'
         when t.state in ('delivered', 'merged') then 'success' else 'failed' end as status,
    t.error
  from turn t join conversation c on c.id = t.conversation_id;

create table llm_request (
  id bigint generated always as identity primary key,
  flush_id text not null,
  purpose text not null check (purpose in ('interview', 'embed', 'rerank', 'score', 'transcribe')),
  n int not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (flush_id, purpose, n)
);
create unique index llm_request_one_interview on llm_request (flush_id)
  where purpose = 'interview';

create table llm_attempt (
  id bigint generated always as identity primary key,
  request_id bigint not null references llm_request,
  epoch int not null,
  model text not null,
  outcome text not null default 'sent',
  input_tokens int,
  output_tokens int,
  cost_usd numeric(12, 6),
  latency_ms int,
  error text,
  sent_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index llm_attempt_request on llm_attempt (request_id);
`;

const DELIVERIES = `
create table delivery (
  id bigint generated always as identity primary key,
  conversation_id uuid not null references conversation,
  turn_id bigint references turn,
  message_id uuid not null references message,
  kind text not null check (kind in ('reply', 'notice')),
  channel text not null,
  chat text not null,
  part int not null,
  text text not null,
  plain text not null,
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'sent', 'unknown', 'dead')),
  confirmed bool not null default true,
  failures int not null default 0,
  claim_no int,
  due_at timestamptz,
  sent_at timestamptz,
  external_id text,
  error text,
  unique (message_id, part)
);
create index delivery_pending on delivery (chat, id)
  where state in ('pending', 'sending', 'unknown');
create index delivery_turn on delivery (turn_id) where turn_id is not null;

create table delivery_attempt (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references delivery,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  outcome text not null default 'started'
);
create index delivery_attempt_delivery on delivery_attempt (delivery_id);
`;

const ATTENTION = `
create table attention (
  id bigint generated always as identity primary key,
  kind text not null,
  subject text not null,
  conversation_id uuid references conversation,
  task_id bigint,
  reason text not null,
  created_at timestamptz not null default clock_timestamp(),
  alert_due_at timestamptz,
  alerted_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  resolution text
);
create unique index attention_one_open on attention (kind, subject) where closed_at is null;
create index attention_open on attention (created_at) where closed_at is null;
create index attention_unalerted on attention (alert_due_at) where alerted_at is null;
`;
