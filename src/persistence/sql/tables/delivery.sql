-- What has to reach a candidate (src/delivery).

-- Parts of messages that have to reach a candidate. src/delivery/delivery.repository.ts describes
-- the states.
--   claimed_by: job and number of the claim that sends the part. The number alone does not identify
--     it, because a chat gets a new job for each batch of parts.
--   text: null when the part is the whole message, or has arrived
--   plain: null when it is the same as `text`
--   unknowns, server_errors: how many sends may have arrived
--   outage_ms: the total of the channel's outages at the last try. A pause that began before an
--     outage continues after it where it stopped.
create table delivery (
  id bigint generated always as identity primary key,
  conversation_id uuid not null references conversation(id) on delete cascade,
  turn_id bigint references turn(id) on delete cascade,
  message_id uuid not null references message(id) on delete cascade,
  kind text not null check (kind = any ('{reply,notice}')),
  channel text not null,
  chat text not null,
  part int not null,
  text text,
  plain text,
  state text not null default 'pending'
    check (state = any ('{pending,sending,sent,unknown,dead}')),
  confirmed bool not null default true,
  failures int not null default 0,
  due_at timestamptz,
  sent_at timestamptz,
  external_id text,
  error text,
  claimed_by text,
  unknowns int not null default 0,
  server_errors int not null default 0,
  outage_ms float8,
  constraint delivery_message_id_part_key unique (message_id, part)
);
create index delivery_conversation on delivery (conversation_id);
create index delivery_dead on delivery (conversation_id, id) where state = 'dead';
create index delivery_dead_chat on delivery (chat) where state = 'dead';
create index delivery_pending on delivery (chat, id)
  where state in ('pending', 'sending', 'unknown');
create index delivery_turn on delivery (turn_id) where turn_id is not null;

-- One send to a channel, inserted before the send.
create table delivery_attempt (
  id bigint generated always as identity primary key,
  delivery_id bigint not null references delivery(id) on delete cascade,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  outcome text not null default 'started',
  external_id text,
  unconfirmed bool not null default false
);
create index delivery_attempt_delivery on delivery_attempt (delivery_id);

-- The pause of a channel, for all replicas because a 429 counts for the whole bot, and the total of
-- its outages in milliseconds.
create table channel_limiter (
  channel text primary key,
  paused_until timestamptz not null,
  outage_no bigint not null default 0,
  outage_since timestamptz,
  outage_ms float8 not null default 0
);
