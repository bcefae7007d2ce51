-- The text of a reply while it is being written, in pieces of about a second, for readers on other
-- replicas. It is deleted when the turn is closed, because the row of the turn then has the whole
-- text.
create table turn_segment (
  turn_id bigint not null references turn(id) on delete cascade,
  epoch int not null,
  start_at int not null,
  text text not null,
  constraint turn_segment_pkey primary key (turn_id, epoch, start_at)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
