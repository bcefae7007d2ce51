-- How a candidate writes, and how long an answer waits because of it. No other code computes this.
-- Pauses of people are skewed, with a few long ones, so their logarithms are averaged. Recent pauses
-- count more: after 12, each new one weighs a twelfth.

-- Adds one pause; null adds nothing. A pause counts as at least 0.25 s and at most 120 s.
create or replace function add_gap(gaps int, mean float8, variance float8, gap_ms float8)
returns table (new_gaps int, new_mean float8, new_variance float8)
language sql immutable parallel safe as $$
  select case when gap_ms is null then gaps else gaps + 1 end,
    case when gap_ms is null then mean else mean + x.share * x.off end,
    case when gap_ms is null then variance
         else (1 - x.share) * (variance + x.share * x.off * x.off) end
  from (select 1 / least(gaps + 1, 12)::float8 as share,
    ln(least(greatest(gap_ms, 250), 120000)) - mean as off) x
$$;

-- The quiet time after a message. Until `enough` messages are known, and always when learning is off
-- (`enough` is null), it is the setting. After that, while it waits, the candidate either goes on or
-- waits for the reply, so it is the wait w with the least expected loss:
--
--   odds      that another message follows: how often one did (gaps of messages), and what the end of
--             this message says, as a factor (src/buffer/answer-pace.ts)
--   density   of the pause after which it comes: log-normal
--   loss      a split answer counts as much as 22 s of waiting, so odds * density(w) = 1 / 22 s
--
-- With y = ln(w) - mean, that is y^2 / (2 variance) + y + c = 0; without a solution the floor holds.
-- Little is known at first, so both start from what is usual: odds of 2 to 2, and a median of 1.2 of
-- the setting, with the weight of two pauses. The constants are tuned with bench/quiet-time.
create or replace function quiet_window_ms(
  setting_ms float8, messages int, gaps int, mean float8, variance float8, end_odds float8,
  enough int, floor_ms float8, ceiling_ms float8
) returns float8 language plpgsql immutable parallel safe as $$
declare
  v_known int := least(gaps, 12);
  v_mean float8;
  v_variance float8;
  v_odds float8;
  v_root float8;
begin
  if enough is null or messages < enough then return setting_ms; end if;
  v_mean := (v_known * mean + 2 * ln(1.2 * setting_ms)) / (v_known + 2);
  v_variance := (v_known * variance + 2 * 0.5::float8) / (v_known + 2);
  v_odds := end_odds * (gaps + 2) / (greatest(messages - gaps, 0) + 2);
  v_root := v_variance * (v_variance
    - 2 * (v_mean + 0.5::float8 * ln(2 * pi() * v_variance) - ln(v_odds * 22000)));
  if v_root < 0 then return floor_ms; end if;
  return least(ceiling_ms, greatest(floor_ms, exp(least(20, v_mean - v_variance + sqrt(v_root)))));
end $$;
