-- What is learned of how a candidate writes (buffer_quiet_time.sql).
--   paced_seq: the last message that was learned from; null: none since this change
--   quiet_ms: the learned quiet time after a message that looks complete, unclear or unfinished; null
--     until enough is known on the present channel
--   typed_at: when the candidate began to type after this message; null: not known
-- `gap_since` and `gap_step` are written by replicas of the version before only. A later version drops them.
alter table conversation
  add column paced_seq int,
  add column quiet_ms float8[];
alter table message add column typed_at timestamptz;

drop function if exists quiet_window_ms(float8, int, int, float8, float8, float8, int, float8, float8);
