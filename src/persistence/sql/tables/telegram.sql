-- The Telegram channel.

-- People who write to the bot.
--   dialog: what the bot is asking them; it holds no text
--   long_text: number, date and length of the last long message, and whether it ends inside a word;
--     the client may have split it. No text.
create table telegram_account (
  user_id bigint primary key,
  conversation_id uuid references conversation(id) on delete set null,
  language text not null check (language in ('ru', 'en')),
  dialog jsonb not null default '{"kind": "none"}',
  paused_at timestamptz,
  blocked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  has_agreed bool not null default false,
  account text references account(name) on delete cascade,
  long_text jsonb
);
create unique index telegram_account_account on telegram_account (account);
create index telegram_account_conversation on telegram_account (conversation_id);

-- Updates from Telegram, each stored once.
--   payload: null as soon as the update is handled
create table telegram_update (
  bot_id bigint not null,
  update_id bigint not null,
  chat_id bigint not null,
  account_id bigint references telegram_account(user_id) on delete cascade,
  message_id bigint,
  state text not null check (state in ('handled', 'waiting', 'dead')),
  payload jsonb,
  received_at timestamptz not null,
  constraint telegram_update_pkey primary key (bot_id, update_id),
  constraint telegram_update_check check ((payload is null) = (state = 'handled'))
) with (autovacuum_vacuum_scale_factor = 0.02);
create index telegram_update_account on telegram_update (account_id);
create index telegram_update_age on telegram_update (received_at);
create index telegram_update_waiting on telegram_update (chat_id, message_id, update_id)
  where state = 'waiting';

-- Messages of the bot itself, in the order of each chat. They are deleted with the account, and the
-- account is deleted with the interview.
create table telegram_bot_reply (
  id bigint generated always as identity primary key,
  chat_id bigint not null,
  account_id bigint references telegram_account(user_id) on delete cascade,
  call jsonb not null,
  tries int not null default 0,
  created_at timestamptz not null,
  unknowns int not null default 0,
  server_errors int not null default 0,
  due_at timestamptz,
  outage_ms float8,
  given_up_at timestamptz
);
create index telegram_bot_reply_account on telegram_bot_reply (account_id);
create index telegram_bot_reply_chat on telegram_bot_reply (chat_id, id);

-- The replica that polls Telegram for updates, and the end of its lease.
create table telegram_poller (
  bot_id bigint primary key,
  holder text not null,
  held_until timestamptz not null
);

-- Wrong PINs of all accounts in the current hour.
--   wrong_first: those that were among the first tries of their account
create table pin_budget (
  id bool default true primary key check (id),
  began_at timestamptz not null,
  wrong int not null,
  wrong_first int not null default 0
);

-- Wrong PINs of an account. They are not stored with the account, so an erasure does not end a
-- lock.
--   account_hash: hash of the Telegram id with a secret of the deployment
--   tries: all wrong PINs
--   failures: wrong PINs since the last lock
create table pin_failure (
  account_hash text primary key,
  tries int not null,
  failures int not null,
  locks int not null,
  locked_until timestamptz,
  last_at timestamptz not null
);
create index pin_failure_last on pin_failure (last_at);
