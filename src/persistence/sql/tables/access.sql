-- Which candidate has access to which interview (src/candidates).

-- The interviews in which an account has taken part. A person with several interviews stays when
-- one of them is erased.
--   agreed_at: when the person of the account agreed to the disclosure
create table account_conversation (
  account text not null references account(name) on delete cascade,
  conversation_id uuid not null references conversation(id) on delete cascade,
  origin text not null check (origin in ('begun', 'claimed')),
  agreed_at timestamptz,
  created_at timestamptz not null,
  constraint account_conversation_pkey primary key (account, conversation_id)
);
create index account_conversation_conversation on account_conversation (conversation_id);

-- One-time links that open an interview on another channel.
create table continuation (
  token_hash text primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  channel text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index continuation_conversation on continuation (conversation_id);

-- Sessions of the web channel. A sweep deletes expired ones in batches.
--   seen_at: last use
create table web_session (
  token_hash text primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default now()
);
create index web_session_conversation on web_session (conversation_id);
create index web_session_created on web_session (created_at);
create index web_session_seen on web_session (seen_at);

create trigger web_session_ended after delete on web_session
  referencing old table as ended for each statement execute function notify_ended_sessions();
