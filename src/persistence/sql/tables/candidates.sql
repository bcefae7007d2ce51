-- People. Their interviews, links and sessions are in access.sql, after the interviews.

-- A person who is interviewed. Deleting this row deletes everything about the person.
create table candidate (
  id uuid primary key,
  name text,
  contact text,
  telegram_username text,
  created_at timestamptz not null default clock_timestamp()
);
create index candidate_created on candidate (created_at);
create index candidate_telegram on candidate (lower(telegram_username))
  where telegram_username is not null;

-- A person on a channel, like 'telegram:12345'. Deleting this row deletes all that the channel
-- stores about the person.
create table account (
  name text primary key,
  created_at timestamptz not null
);
