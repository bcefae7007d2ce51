-- How a candidate writes, in the row that an append locks and writes anyway.
--   paced_messages: how many messages on the present channel were learned from
--   gaps: after how many of them another message of the same answer came
--   gap_mean, gap_variance: of the logarithm of these pauses in milliseconds; recent ones count more
--   gap_since: when the last message came; null once its pause was counted, because the candidate
--     went on typing
--   gap_step: the interview step of that message. In another step the pause is not counted, because
--     a reply came in between.
--   long_answer: the buffer of the last answer whose candidate was told that it is being read. It is
--     no foreign key, because ended jobs are deleted.
alter table conversation
  add column paced_messages int not null default 0,
  add column gaps int not null default 0,
  add column gap_mean float8 not null default 0,
  add column gap_variance float8 not null default 0,
  add column gap_since timestamptz,
  add column gap_step int,
  add column long_answer bigint;

-- The new definition has more parameters, so it would stand beside the old one, which a new database
-- never had.
drop function if exists buffer_append(uuid, uuid, text, text, text, text, text, uuid, int, int, text,
  timestamptz, float8, float8, int, int, bigint, int, bigint, bigint, bool);
