table account
  name text not null
  created_at timestamp with time zone not null
  constraint account_pkey PRIMARY KEY (name)
table account_conversation
  account text not null
  conversation_id uuid not null
  origin text not null
  agreed_at timestamp with time zone
  created_at timestamp with time zone not null
  constraint account_conversation_account_fkey FOREIGN KEY (account) REFERENCES account(name) ON DELETE CASCADE
  constraint account_conversation_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint account_conversation_origin_check CHECK ((origin = ANY (ARRAY['begun'::text, 'claimed'::text])))
  constraint account_conversation_pkey PRIMARY KEY (account, conversation_id)
  CREATE INDEX account_conversation_conversation using btree (conversation_id)
table attention
  id bigint identity not null
  kind text not null
  subject text not null
  conversation_id uuid
  job_id bigint
  reason text not null
  created_at timestamp with time zone not null default clock_timestamp()
  alert_due_at timestamp with time zone
  alerted_at timestamp with time zone
  closed_at timestamp with time zone
  closed_by text
  resolution text
  constraint attention_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint attention_pkey PRIMARY KEY (id)
  CREATE INDEX attention_conversation using btree (conversation_id)
  CREATE INDEX attention_job using btree (job_id) WHERE (kind = 'waiting'::text)
  CREATE UNIQUE INDEX attention_one_open using btree (kind, subject) WHERE (closed_at IS NULL)
  CREATE INDEX attention_open using btree (created_at) WHERE (closed_at IS NULL)
  CREATE INDEX attention_unalerted using btree (alert_due_at) WHERE (alerted_at IS NULL)
table audit_event
  id bigint identity not null
  at timestamp with time zone not null
  actor text not null
  action text not null
  subject_hash text not null
  constraint audit_event_pkey PRIMARY KEY (id)
  CREATE INDEX audit_event_at using btree (at)
  CREATE INDEX audit_event_subject using btree (subject_hash, id)
table candidate
  id uuid not null
  name text
  contact text
  telegram_username text
  created_at timestamp with time zone not null default clock_timestamp()
  constraint candidate_pkey PRIMARY KEY (id)
  CREATE INDEX candidate_telegram using btree (lower(telegram_username)) WHERE (telegram_username IS NOT NULL)
table channel_limiter
  channel text not null
  paused_until timestamp with time zone not null
  outage_no bigint not null default 0
  outage_since timestamp with time zone
  outage_ms double precision not null default 0
  constraint channel_limiter_pkey PRIMARY KEY (channel)
table continuation
  token_hash text not null
  conversation_id uuid not null
  channel text not null
  expires_at timestamp with time zone not null
  used_at timestamp with time zone
  created_at timestamp with time zone not null default clock_timestamp()
  constraint continuation_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint continuation_pkey PRIMARY KEY (token_hash)
  CREATE INDEX continuation_conversation using btree (conversation_id)
table conversation with (fillfactor=80)
  id uuid not null
  vacancy_id uuid not null
  candidate_id uuid not null
  invitation_id uuid
  language text not null
  plan jsonb not null
  status text not null default 'new'::text
  interview_step integer not null default 0
  last_seq integer not null default 0
  state jsonb not null
  consent_version text
  consent_accepted boolean
  consent_at timestamp with time zone
  metadata jsonb not null default '{}'::jsonb
  metadata_version integer not null default 0
  created_at timestamp with time zone not null default clock_timestamp()
  updated_at timestamp with time zone not null default clock_timestamp()
  agent text not null default 'greeter'::text
  channel text not null default 'web'::text
  sent_messages integer not null default 0
  sent_chars bigint not null default 0
  sent_audio_bytes bigint not null default 0
  owner text not null default 'model'::text
  takeovers integer not null default 0
  constraint conversation_candidate_id_fkey FOREIGN KEY (candidate_id) REFERENCES candidate(id) ON DELETE CASCADE
  constraint conversation_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitation(id)
  constraint conversation_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text])))
  constraint conversation_owner CHECK ((owner = ANY (ARRAY['model'::text, 'asked'::text, 'person'::text])))
  constraint conversation_pkey PRIMARY KEY (id)
  constraint conversation_status_check CHECK ((status = ANY (ARRAY['new'::text, 'active'::text, 'completed'::text, 'declined'::text, 'withdrawn'::text, 'handed_over'::text])))
  constraint conversation_vacancy_id_fkey FOREIGN KEY (vacancy_id) REFERENCES vacancy(id)
  CREATE INDEX conversation_candidate using btree (candidate_id)
  CREATE UNIQUE INDEX conversation_invitation using btree (invitation_id)
table delivery
  id bigint identity not null
  conversation_id uuid not null
  turn_id bigint
  message_id uuid not null
  kind text not null
  channel text not null
  chat text not null
  part integer not null
  text text
  plain text
  state text not null default 'pending'::text
  confirmed boolean not null default true
  failures integer not null default 0
  due_at timestamp with time zone
  sent_at timestamp with time zone
  external_id text
  error text
  claimed_by text
  unknowns integer not null default 0
  server_errors integer not null default 0
  outage_ms double precision
  constraint delivery_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint delivery_kind_check CHECK ((kind = ANY (ARRAY['reply'::text, 'notice'::text])))
  constraint delivery_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
  constraint delivery_message_id_part_key UNIQUE (message_id, part)
  constraint delivery_pkey PRIMARY KEY (id)
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'dead'::text])))
  constraint delivery_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turn(id) ON DELETE CASCADE
  CREATE INDEX delivery_conversation using btree (conversation_id)
  CREATE INDEX delivery_dead using btree (conversation_id, id) WHERE (state = 'dead'::text)
  CREATE INDEX delivery_dead_chat using btree (chat) WHERE (state = 'dead'::text)
  CREATE INDEX delivery_pending using btree (chat, id) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text, 'unknown'::text]))
  CREATE INDEX delivery_turn using btree (turn_id) WHERE (turn_id IS NOT NULL)
table delivery_attempt
  id bigint identity not null
  delivery_id bigint not null
  started_at timestamp with time zone not null default clock_timestamp()
  ended_at timestamp with time zone
  outcome text not null default 'started'::text
  external_id text
  unconfirmed boolean not null default false
  constraint delivery_attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id) ON DELETE CASCADE
  constraint delivery_attempt_pkey PRIMARY KEY (id)
  CREATE INDEX delivery_attempt_delivery using btree (delivery_id)
table deployment_secret
  name text not null
  value text not null
  created_at timestamp with time zone not null default clock_timestamp()
  constraint deployment_secret_pkey PRIMARY KEY (name)
table erasure
  id bigint identity not null
  at timestamp with time zone not null
  vacancy_id uuid
  conversations integer not null
  messages integer not null
  constraint erasure_pkey PRIMARY KEY (id)
  constraint erasure_vacancy_id_fkey FOREIGN KEY (vacancy_id) REFERENCES vacancy(id) ON DELETE SET NULL
table file
  message_id uuid not null
  state text not null
  name text not null
  mime_type text
  size_bytes integer not null
  source text
  bytes bytea
  problem text
  settled_at timestamp with time zone
  constraint file_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
  constraint file_pkey PRIMARY KEY (message_id)
  constraint file_state_check CHECK ((state = ANY (ARRAY['announced'::text, 'kept'::text, 'refused'::text])))
  CREATE INDEX file_announced using btree (message_id) WHERE (state = 'announced'::text)
view flush_log as
 SELECT t.flush_id,
    c.candidate_id AS user_id,
    t.conversation_id,
    t.interview_step,
    t.message_count,
    t.started_at,
    t.completed_at,
        CASE
            WHEN (t.state = ANY (ARRAY['opened'::text, 'answered'::text])) THEN 'pending'::text
            WHEN (t.state = ANY (ARRAY['delivered'::text, 'merged'::text])) THEN 'success'::text
            ELSE 'failed'::text
        END AS status,
    t.error
   FROM (turn t
     JOIN conversation c ON ((c.id = t.conversation_id)));
table instance
  is_only boolean not null default true
  public_url text not null
  bot_name text
  updated_at timestamp with time zone not null
  constraint instance_is_only_check CHECK (is_only)
  constraint instance_pkey PRIMARY KEY (is_only)
table invitation
  id uuid not null
  vacancy_id uuid not null
  candidate_id uuid not null
  token_hash text not null
  expires_at timestamp with time zone not null
  revoked_at timestamp with time zone
  created_at timestamp with time zone not null default clock_timestamp()
  pin_key text
  bound_to text
  constraint invitation_candidate_id_fkey FOREIGN KEY (candidate_id) REFERENCES candidate(id) ON DELETE CASCADE
  constraint invitation_pkey PRIMARY KEY (id)
  constraint invitation_token_hash_key UNIQUE (token_hash)
  constraint invitation_vacancy_id_fkey FOREIGN KEY (vacancy_id) REFERENCES vacancy(id)
  CREATE INDEX invitation_bound using btree (bound_to) WHERE (bound_to IS NOT NULL)
  CREATE INDEX invitation_candidate using btree (candidate_id)
  CREATE UNIQUE INDEX invitation_pin using btree (pin_key) WHERE (revoked_at IS NULL)
table job with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02)
  id bigint identity not null
  queue text not null
  key text not null
  state text not null default 'open'::text
  due_at timestamp with time zone
  quiet_at timestamp with time zone
  first_at timestamp with time zone not null
  claim_no integer not null default 0
  claims_without_progress integer not null default 0
  failures integer not null default 0
  count integer not null default 1
  weight integer not null default 0
  holds integer not null default 0
  sealed boolean not null default false
  payload jsonb
  worker text
  last_error text
  ended_at timestamp with time zone
  given_back integer not null default 0
  given_back_since timestamp with time zone
  failed_at timestamp with time zone
  leased_until timestamp with time zone
  single boolean not null default false
  constraint job_pkey PRIMARY KEY (id)
  constraint job_state_check CHECK ((state = ANY (ARRAY['open'::text, 'running'::text, 'retry'::text, 'done'::text, 'dead'::text])))
  CREATE INDEX job_dead using btree (queue) WHERE (state = 'dead'::text)
  CREATE INDEX job_done using btree (ended_at) WHERE (state = 'done'::text)
  CREATE INDEX job_due using btree (queue, due_at) WHERE (state = ANY (ARRAY['open'::text, 'retry'::text]))
  CREATE INDEX job_ended_key using btree (key text_pattern_ops) WHERE (state = ANY (ARRAY['done'::text, 'dead'::text]))
  CREATE INDEX job_given_back using btree (given_back_since) WHERE ((given_back_since IS NOT NULL) AND (state = ANY (ARRAY['open'::text, 'running'::text, 'retry'::text])))
  CREATE INDEX job_key using btree (queue, key, id) WHERE (state = ANY (ARRAY['open'::text, 'running'::text, 'retry'::text]))
  CREATE INDEX job_lease using btree (queue, due_at) WHERE (state = 'running'::text)
  CREATE UNIQUE INDEX job_one_open using btree (queue, key) WHERE (state = 'open'::text)
  CREATE UNIQUE INDEX job_one_running using btree (queue, key) WHERE (state = 'running'::text)
  CREATE UNIQUE INDEX job_single_running using btree (queue) WHERE ((state = 'running'::text) AND single)
table knowledge_document
  id uuid not null
  vacancy_id uuid not null
  name text not null
  language text not null
  content_hash text not null
  imported_at timestamp with time zone not null
  constraint knowledge_document_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text])))
  constraint knowledge_document_pkey PRIMARY KEY (id)
  constraint knowledge_document_vacancy_id_fkey FOREIGN KEY (vacancy_id) REFERENCES vacancy(id) ON DELETE CASCADE
  constraint knowledge_document_vacancy_id_name_key UNIQUE (vacancy_id, name)
table knowledge_embedding
  passage_id uuid not null
  model text not null
  dimensions integer
  vector bytea
  tries integer not null default 1
  due_at timestamp with time zone not null
  constraint knowledge_embedding_check CHECK (((vector IS NULL) = (dimensions IS NULL)))
  constraint knowledge_embedding_check1 CHECK ((octet_length(vector) = (dimensions * 4)))
  constraint knowledge_embedding_passage_id_fkey FOREIGN KEY (passage_id) REFERENCES knowledge_passage(id) ON DELETE CASCADE
  constraint knowledge_embedding_pkey PRIMARY KEY (passage_id, model)
table knowledge_passage
  id uuid not null
  document_id uuid not null
  vacancy_id uuid not null
  position integer not null
  language text not null
  headings text not null
  text text not null
  words tsvector not null default (setweight(to_tsvector(
CASE language
    WHEN 'ru'::text THEN 'russian'::regconfig
    ELSE 'english'::regconfig
END, translate(headings, 'ёЁ'::text, 'еЕ'::text)), 'A'::"char") || setweight(to_tsvector(
CASE language
    WHEN 'ru'::text THEN 'russian'::regconfig
    ELSE 'english'::regconfig
END, translate(text, 'ёЁ'::text, 'еЕ'::text)), 'D'::"char"))
  constraint knowledge_passage_document_id_fkey FOREIGN KEY (document_id) REFERENCES knowledge_document(id) ON DELETE CASCADE
  constraint knowledge_passage_document_id_position_key UNIQUE (document_id, "position")
  constraint knowledge_passage_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text])))
  constraint knowledge_passage_pkey PRIMARY KEY (id)
  constraint knowledge_passage_vacancy_id_fkey FOREIGN KEY (vacancy_id) REFERENCES vacancy(id) ON DELETE CASCADE
  CREATE INDEX knowledge_passage_vacancy using btree (vacancy_id)
  CREATE INDEX knowledge_passage_words using gin (words)
table llm_attempt with (fillfactor=80)
  id bigint identity not null
  request_id bigint not null
  epoch integer not null
  model text not null
  outcome text not null default 'sent'::text
  input_tokens integer
  output_tokens integer
  cost_usd numeric(12,6)
  latency_ms integer
  error text
  sent_at timestamp with time zone not null default clock_timestamp()
  ended_at timestamp with time zone
  round integer not null default 1
  constraint llm_attempt_pkey PRIMARY KEY (id)
  constraint llm_attempt_request_id_fkey FOREIGN KEY (request_id) REFERENCES llm_request(id) ON DELETE CASCADE
  CREATE INDEX llm_attempt_request using btree (request_id)
table llm_request
  id bigint identity not null
  flush_id text not null
  purpose text not null
  n integer not null
  created_at timestamp with time zone not null default clock_timestamp()
  constraint llm_request_flush_id_purpose_n_key UNIQUE (flush_id, purpose, n)
  constraint llm_request_pkey PRIMARY KEY (id)
  constraint llm_request_purpose_check CHECK ((purpose = ANY (ARRAY['interview'::text, 'embed'::text, 'rerank'::text, 'score'::text, 'transcribe'::text])))
  CREATE UNIQUE INDEX llm_request_one_interview using btree (flush_id) WHERE (purpose = 'interview'::text)
table message with (fillfactor=80)
  id uuid not null
  conversation_id uuid not null
  seq integer not null
  role text not null
  channel text not null
  external_id text not null
  content_type text not null default 'TEXT'::text
  text text not null
  question_context text
  received_at timestamp with time zone not null
  edited_at timestamp with time zone
  buffer_id bigint
  turn_id bigint
  before_reply boolean not null default false
  partial boolean not null default false
  amends uuid
  cleared_at timestamp with time zone
  chat_id text
  request_id uuid
  event jsonb
  attachment jsonb
  joiner text
  from_person boolean not null default false
  constraint message_amends_fkey FOREIGN KEY (amends) REFERENCES message(id)
  constraint message_content_type_check CHECK ((content_type = ANY (ARRAY['TEXT'::text, 'VOICE'::text, 'FILE'::text])))
  constraint message_conversation_id_channel_external_id_key UNIQUE (conversation_id, channel, external_id)
  constraint message_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint message_conversation_id_seq_key UNIQUE (conversation_id, seq)
  constraint message_event_check CHECK (((role = 'event'::text) = (event IS NOT NULL)))
  constraint message_pkey PRIMARY KEY (id)
  constraint message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text, 'event'::text])))
  CREATE INDEX message_amends using btree (amends) WHERE (amends IS NOT NULL)
  CREATE INDEX message_buffer using btree (buffer_id) WHERE (buffer_id IS NOT NULL)
  CREATE INDEX message_held using btree (conversation_id) WHERE ((content_type = 'VOICE'::text) AND (text = ''::text))
  CREATE INDEX message_turn_event using btree (turn_id, seq) WHERE (role = 'event'::text)
table notion_board_pass
  user_id text not null
  expires_at timestamp with time zone not null
  constraint notion_board_pass_pkey PRIMARY KEY (user_id)
table notion_enrolment
  id boolean not null default true
  open_until timestamp with time zone
  token text
  enrolled_at timestamp with time zone
  nonce_hash text
  constraint notion_enrolment_check CHECK (((token IS NULL) = (enrolled_at IS NULL)))
  constraint notion_enrolment_id_check CHECK (id)
  constraint notion_enrolment_pkey PRIMARY KEY (id)
table notion_event
  event_key text not null
  page_id uuid
  happened_at timestamp with time zone
  received_at timestamp with time zone not null
  constraint notion_event_pkey PRIMARY KEY (event_key)
  CREATE INDEX notion_event_age using btree (received_at)
  CREATE INDEX notion_event_page using btree (page_id, happened_at) WHERE (page_id IS NOT NULL)
table notion_limiter with (fillfactor=50)
  id boolean not null default true
  grants timestamp with time zone[] not null default '{}'::timestamp with time zone[]
  paused_until timestamp with time zone
  rate double precision not null default 1
  recovers_from timestamp with time zone
  limited_at timestamp with time zone
  timescales text[] not null default '{}'::text[]
  blurs_ms double precision[] not null default '{}'::double precision[]
  constraint notion_limiter_id_check CHECK (id)
  constraint notion_limiter_pkey PRIMARY KEY (id)
  constraint notion_limiter_rate_check CHECK (((rate > (0)::double precision) AND (rate <= (1)::double precision)))
table notion_page
  page_id uuid not null
  assignee_ids uuid[] not null
  seen_at timestamp with time zone not null
  constraint notion_page_pkey PRIMARY KEY (page_id)
  CREATE INDEX notion_page_assignees using gin (assignee_ids)
table notion_property
  id boolean not null default true
  ids jsonb not null
  learned_at timestamp with time zone not null
  constraint notion_property_id_check CHECK (id)
  constraint notion_property_pkey PRIMARY KEY (id)
table notion_read with (fillfactor=80)
  page_id uuid not null
  author text not null
  turn bigint not null
  asked_at timestamp with time zone not null
  asks integer not null default 1
  due_at timestamp with time zone
  tries integer not null default 0
  failures integer not null default 0
  last_asked_at timestamp with time zone
  constraint notion_read_pkey PRIMARY KEY (page_id)
  CREATE INDEX notion_read_author using btree (author, turn)
  CREATE INDEX notion_read_turn using btree (turn, asked_at)
table notion_review
  id uuid not null
  conversation_id uuid
  state text not null default 'wanted'::text
  owner_id uuid
  page_id uuid
  begun_at timestamp with time zone
  link_property text
  title_digest text
  shown_digest text
  looks integer not null default 0
  constraint notion_review_check CHECK (((state <> 'shown'::text) OR (page_id IS NOT NULL)))
  constraint notion_review_check1 CHECK (((state = 'removing'::text) OR (conversation_id IS NOT NULL)))
  constraint notion_review_conversation_id_key UNIQUE (conversation_id)
  constraint notion_review_page_id_key UNIQUE (page_id)
  constraint notion_review_pkey PRIMARY KEY (id)
  constraint notion_review_state_check CHECK ((state = ANY (ARRAY['wanted'::text, 'creating'::text, 'shown'::text, 'removing'::text])))
table notion_sweep
  id boolean not null default true
  paid_until timestamp with time zone
  walk_cursor text
  walk_began_at timestamp with time zone
  walk_ended_at timestamp with time zone
  walk_is_whole boolean not null default true
  walk_from timestamp with time zone
  walk_reached timestamp with time zone
  walk_is_capped boolean not null default false
  walk_closed text[]
  constraint notion_sweep_id_check CHECK (id)
  constraint notion_sweep_pkey PRIMARY KEY (id)
table notion_user with (fillfactor=70)
  user_id uuid not null
  looked_at timestamp with time zone
  last_end text
  last_reason text
  last_ended_at timestamp with time zone
  time_to_ready_ms double precision
  queue_wait_ms double precision
  run_ms double precision
  loaded integer not null default 0
  processed integer not null default 0
  updated integer not null default 0
  dropped integer not null default 0
  api_calls integer not null default 0
  runs bigint not null default 0
  reruns bigint not null default 0
  total_loaded bigint not null default 0
  total_processed bigint not null default 0
  total_updated bigint not null default 0
  total_dropped bigint not null default 0
  total_api_calls bigint not null default 0
  has_left boolean not null default false
  swept_calls integer
  owed_calls integer not null default 0
  constraint notion_user_last_end_check CHECK ((last_end = ANY (ARRAY['ranked'::text, 'partly'::text, 'braked'::text, 'refused'::text, 'dead'::text])))
  constraint notion_user_pkey PRIMARY KEY (user_id)
  CREATE INDEX notion_user_looked using btree (looked_at NULLS FIRST)
  CREATE INDEX notion_user_owed using btree (user_id) WHERE (owed_calls <> 0)
view notion_user_status as
 SELECT user_id,
    state,
    due_at,
    failures,
    queue_wait_ms,
    time_to_ready_ms,
    run_ms,
    runs,
    reruns,
    loaded,
    processed,
    updated,
    dropped,
    api_calls,
    total_loaded,
    total_processed,
    total_updated,
    total_dropped,
    total_api_calls,
    last_end,
    last_reason,
    last_ended_at,
    looked_at
   FROM notion_user_status_at(now()) notion_user_status_at(user_id, state, due_at, failures, queue_wait_ms, time_to_ready_ms, run_ms, runs, reruns, loaded, processed, updated, dropped, api_calls, total_loaded, total_processed, total_updated, total_dropped, total_api_calls, last_end, last_reason, last_ended_at, looked_at);
table pin_budget
  id boolean not null default true
  began_at timestamp with time zone not null
  wrong integer not null
  wrong_first integer not null default 0
  constraint pin_budget_id_check CHECK (id)
  constraint pin_budget_pkey PRIMARY KEY (id)
table pin_failure
  account_hash text not null
  tries integer not null
  failures integer not null
  locks integer not null
  locked_until timestamp with time zone
  last_at timestamp with time zone not null
  constraint pin_failure_pkey PRIMARY KEY (account_hash)
  CREATE INDEX pin_failure_last using btree (last_at)
table telegram_account
  user_id bigint not null
  conversation_id uuid
  language text not null
  dialog jsonb not null default '{"kind": "none"}'::jsonb
  paused_at timestamp with time zone
  blocked_at timestamp with time zone
  created_at timestamp with time zone not null default clock_timestamp()
  has_agreed boolean not null default false
  account text
  long_text jsonb
  constraint telegram_account_account_fkey FOREIGN KEY (account) REFERENCES account(name) ON DELETE CASCADE
  constraint telegram_account_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE SET NULL
  constraint telegram_account_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text])))
  constraint telegram_account_pkey PRIMARY KEY (user_id)
  CREATE UNIQUE INDEX telegram_account_account using btree (account)
  CREATE INDEX telegram_account_conversation using btree (conversation_id)
table telegram_bot_reply
  id bigint identity not null
  chat_id bigint not null
  account_id bigint
  call jsonb not null
  tries integer not null default 0
  created_at timestamp with time zone not null
  unknowns integer not null default 0
  server_errors integer not null default 0
  due_at timestamp with time zone
  outage_ms double precision
  given_up_at timestamp with time zone
  constraint telegram_bot_reply_account_id_fkey FOREIGN KEY (account_id) REFERENCES telegram_account(user_id) ON DELETE CASCADE
  constraint telegram_bot_reply_pkey PRIMARY KEY (id)
  CREATE INDEX telegram_bot_reply_account using btree (account_id)
  CREATE INDEX telegram_bot_reply_chat using btree (chat_id, id)
table telegram_poller
  bot_id bigint not null
  holder text not null
  held_until timestamp with time zone not null
  constraint telegram_poller_pkey PRIMARY KEY (bot_id)
table telegram_update with (autovacuum_vacuum_scale_factor=0.02)
  bot_id bigint not null
  update_id bigint not null
  chat_id bigint not null
  account_id bigint
  message_id bigint
  state text not null
  payload jsonb
  received_at timestamp with time zone not null
  constraint telegram_update_account_id_fkey FOREIGN KEY (account_id) REFERENCES telegram_account(user_id) ON DELETE CASCADE
  constraint telegram_update_check CHECK (((payload IS NULL) = (state = 'handled'::text)))
  constraint telegram_update_pkey PRIMARY KEY (bot_id, update_id)
  constraint telegram_update_state_check CHECK ((state = ANY (ARRAY['handled'::text, 'waiting'::text, 'dead'::text])))
  CREATE INDEX telegram_update_account using btree (account_id)
  CREATE INDEX telegram_update_age using btree (received_at)
  CREATE INDEX telegram_update_waiting using btree (chat_id, message_id, update_id) WHERE (state = 'waiting'::text)
table turn
  id bigint identity not null
  flush_id text not null
  buffer_id bigint not null
  conversation_id uuid not null
  interview_step integer not null
  channel text not null
  state text not null default 'opened'::text
  merged_into bigint
  message_count integer not null
  epoch integer not null default 1
  verdict text
  decision jsonb
  reply_message_id uuid not null
  reply_text text
  partial boolean not null default false
  stop_requested_at timestamp with time zone
  answered_by text
  error text
  started_at timestamp with time zone not null
  answered_at timestamp with time zone
  completed_at timestamp with time zone
  claim_no integer not null default 0
  agent text
  constraint turn_buffer_id_key UNIQUE (buffer_id)
  constraint turn_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint turn_flush_id_key UNIQUE (flush_id)
  constraint turn_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES turn(id)
  constraint turn_pkey PRIMARY KEY (id)
  constraint turn_state_check CHECK ((state = ANY (ARRAY['opened'::text, 'answered'::text, 'delivered'::text, 'failed'::text, 'expired'::text, 'merged'::text])))
  CREATE INDEX turn_conversation using btree (conversation_id, id)
  CREATE INDEX turn_merged_into using btree (merged_into) WHERE (merged_into IS NOT NULL)
  CREATE INDEX turn_undelivered using btree (conversation_id) WHERE (state = ANY (ARRAY['opened'::text, 'answered'::text]))
table turn_segment with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500)
  turn_id bigint not null
  epoch integer not null
  start_at integer not null
  text text not null
  constraint turn_segment_pkey PRIMARY KEY (turn_id, epoch, start_at)
  constraint turn_segment_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES turn(id) ON DELETE CASCADE
table vacancy
  id uuid not null
  slug text not null
  language text not null
  title text not null
  company text not null
  owner jsonb not null
  plan jsonb not null
  open_token text not null
  created_at timestamp with time zone not null default clock_timestamp()
  updated_at timestamp with time zone not null default clock_timestamp()
  constraint vacancy_language_check CHECK ((language = ANY (ARRAY['ru'::text, 'en'::text])))
  constraint vacancy_open_token_key UNIQUE (open_token)
  constraint vacancy_pkey PRIMARY KEY (id)
  constraint vacancy_slug_key UNIQUE (slug)
table voice
  message_id uuid not null
  state text not null
  mime_type text not null
  file_name text
  duration_s real
  size_bytes integer not null
  source text
  bytes bytea
  transcript text
  problem text
  settled_at timestamp with time zone
  constraint voice_message_id_fkey FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
  constraint voice_pkey PRIMARY KEY (message_id)
  constraint voice_state_check CHECK ((state = ANY (ARRAY['announced'::text, 'kept'::text, 'heard'::text, 'unheard'::text])))
  CREATE INDEX voice_waiting using btree (message_id) WHERE (state = ANY (ARRAY['announced'::text, 'kept'::text]))
table web_session
  token_hash text not null
  conversation_id uuid not null
  created_at timestamp with time zone not null default clock_timestamp()
  seen_at timestamp with time zone not null default now()
  constraint web_session_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversation(id) ON DELETE CASCADE
  constraint web_session_pkey PRIMARY KEY (token_hash)
  CREATE INDEX web_session_conversation using btree (conversation_id)
  CREATE INDEX web_session_created using btree (created_at)
  CREATE INDEX web_session_seen using btree (seen_at)
