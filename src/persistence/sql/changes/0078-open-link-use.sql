-- What a vacancy's open link was used for, minute by minute, for its caps (src/vacancies/open-link-limits.ts).
-- It names nobody, and it is not lowered by an erasure. A sweep deletes rows after a day.
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
