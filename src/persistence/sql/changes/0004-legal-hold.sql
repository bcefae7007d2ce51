-- Candidates whose data retention leaves alone until their hold is released.
create table legal_hold (
  candidate_id uuid primary key references candidate(id) on delete cascade,
  reason text not null,
  placed_by text not null,
  placed_at timestamptz not null
);
