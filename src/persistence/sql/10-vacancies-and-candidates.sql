-- Vacancies, the people invited to them, and their accounts on channels.

-- A position with its interview plan, as its file was last imported.
--   open_token: the vacancy's open link
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

-- A person who is interviewed. Deleting this row deletes everything about the person.
create table candidate (
  id uuid primary key,
  name text,
  contact text,
  telegram_username text,
  created_at timestamptz not null default clock_timestamp()
);
create index candidate_telegram on candidate (lower(telegram_username))
  where telegram_username is not null;

-- A personal link or PIN to one interview.
--   pin_key: hash of the PIN with a secret of the deployment. It cannot be computed from the hash
--     of an earlier release, so an older invitation has only its link until it is issued again.
--   bound_to: the account that opened it; null again after its person asks to be forgotten
create table invitation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy(id),
  candidate_id uuid not null references candidate(id) on delete cascade,
  token_hash text not null unique,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  pin_key text,
  bound_to text
);
create index invitation_bound on invitation (bound_to) where bound_to is not null;
create index invitation_candidate on invitation (candidate_id);
create unique index invitation_pin on invitation (pin_key) where revoked_at is null;

-- Secrets that the deployment makes once by itself, such as the one for hashes of PINs.
create table deployment_secret (
  name text primary key,
  value text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- The address of the running application, so that commands make the same links. One row.
create table instance (
  is_only bool default true primary key check (is_only),
  public_url text not null,
  bot_name text,
  updated_at timestamptz not null
);

-- A person on a channel, like 'telegram:12345'. Deleting this row deletes all that the channel
-- stores about the person.
create table account (
  name text primary key,
  created_at timestamptz not null
);
