-- The record of who did what, erasures, and legal holds.

-- Who read, exported, changed or erased what. A sweep deletes old rows in batches.
--   subject_hash: hash of an id and no reference, so the row stays after an erasure
create table audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject_hash text not null
);
create index audit_event_at on audit_event (at);
create index audit_event_subject on audit_event (subject_hash, id);

-- Proof for the company that it has erased data, and when. It does not identify the person.
create table erasure (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  vacancy_id uuid references vacancy(id) on delete set null,
  conversations int not null,
  messages int not null
);

-- Candidates whose data retention leaves alone until their hold is released.
create table legal_hold (
  candidate_id uuid primary key references candidate(id) on delete cascade,
  reason text not null,
  placed_by text not null,
  placed_at timestamptz not null
);
