-- Vacancies and how their interviews are begun.

-- A position with its interview plan, as its file was last imported.
--   open_token: the vacancy's open link
--   brand: its accent colour, and the name and hash of its logo
--   notices: what its candidates are told beside the disclosure (src/interview/texts/notices.ts)
--   closed_at: since then no interview is begun
create table vacancy (
  id uuid primary key,
  slug text not null unique,
  language text not null check (language in ('ru', 'en')),
  title text not null,
  company text not null,
  owner jsonb not null,
  plan jsonb not null,
  brand jsonb not null default '{}',
  notices text[] not null default '{}',
  open_token text not null unique,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz
);

-- The logo of a vacancy, apart from it, because a vacancy is read often and its logo is not.
--   hash: of the content, SHA-256; the logo's address on the web
create table vacancy_logo (
  vacancy_id uuid primary key references vacancy(id) on delete cascade,
  hash text not null,
  media_type text not null check (media_type in ('image/png', 'image/svg+xml', 'image/webp')),
  content bytea not null
);
create index vacancy_logo_hash on vacancy_logo (hash);

-- A personal link or PIN to one interview.
--   pin_key: hash of the PIN with a secret of the deployment
--   bound_to: the account that opened it; null again after its person asks to be forgotten
create table invitation (
  id uuid primary key,
  vacancy_id uuid not null references vacancy(id),
  candidate_id uuid not null references candidate(id) on delete cascade,
  token_hash text not null unique,
  pin_key text,
  bound_to text,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
create index invitation_bound on invitation (bound_to) where bound_to is not null;
create index invitation_candidate on invitation (candidate_id);
create unique index invitation_pin on invitation (pin_key) where revoked_at is null;

-- What a vacancy's open link was used for, minute by minute, for its caps
-- (src/vacancies/open-link-limits.ts). It names nobody, and it is not lowered by an erasure. A sweep
-- deletes rows after a day.
--   backend: the connection that counted. Each has its own row, so that no commit waits for another one.
create table open_link_use (
  vacancy_id uuid not null references vacancy(id) on delete cascade,
  minute timestamptz not null,
  backend int not null,
  interviews int not null default 0,
  upload_bytes bigint not null default 0,
  constraint open_link_use_pkey primary key (vacancy_id, minute, backend)
) with (fillfactor = 70);
create index open_link_use_minute on open_link_use (minute);

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
