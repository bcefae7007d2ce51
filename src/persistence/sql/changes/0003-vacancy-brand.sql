-- What a vacancy's pages look like: its accent colour, and the name and hash of its logo.
alter table vacancy add column brand jsonb not null default '{}';

-- The logo of a vacancy, apart from it, because a vacancy is read often and its logo is not.
--   hash: of the content, SHA-256; the logo's address on the web
create table vacancy_logo (
  vacancy_id uuid primary key references vacancy(id) on delete cascade,
  hash text not null,
  media_type text not null check (media_type in ('image/png', 'image/svg+xml', 'image/webp')),
  content bytea not null
);
create index vacancy_logo_hash on vacancy_logo (hash);
