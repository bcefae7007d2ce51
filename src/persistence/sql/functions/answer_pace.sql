-- How a candidate writes, and how long an answer waits because of it. No other code computes this.
-- Pauses of people are skewed, with a few long ones, so their logarithms are averaged. Recent pauses
-- count more: after 12, each new one weighs a twelfth. A pause counts as at least 0.25 s and at most
-- 120 s.

-- The mean of the logarithms after one more pause; `gaps` is how many there were before it.
create or replace function mean_with_gap(gaps int, mean float8, gap_ms float8) returns float8
language sql immutable parallel safe as $$
  select mean + (ln(least(greatest(gap_ms, 250), 120000)) - mean) / least(gaps + 1, 12)
$$;

-- Their variance after one more pause. `mean` is the mean before it.
create or replace function variance_with_gap(gaps int, mean float8, variance float8, gap_ms float8)
returns float8 language sql immutable parallel safe as $$
  select (1 - 1 / least(gaps + 1, 12)::float8)
    * (variance + (ln(least(greatest(gap_ms, 250), 120000)) - mean) ^ 2 / least(gaps + 1, 12))
$$;

-- The wait in milliseconds with the least expected loss. While it waits, the candidate either goes on
-- or waits for the reply:
--
--   odds      that another message follows
--   density   of the pause after which it comes: log-normal
--   loss      a split answer counts as much as 22 s of waiting, so odds * density(w) = 1 / 22 s
--
-- With y = ln(w) - mean, that is y^2 / (2 variance) + y + c = 0. Null: it has no solution.
create or replace function least_loss_ms(mean float8, variance float8, odds float8) returns float8
language sql immutable parallel safe as $$
  select case
    when variance * (variance - 2 * mean - ln(2 * pi() * variance) + 2 * ln(odds * 22000)) >= 0
    then exp(least(20, mean - variance + sqrt(
      variance * (variance - 2 * mean - ln(2 * pi() * variance) + 2 * ln(odds * 22000))))) end
$$;

-- The quiet time after a message, before its bounds are applied; 0 where the loss has no solution. The
-- odds that another message follows are how often one did (gaps of messages), times what the end of
-- this message says (src/buffer/answer-pace.ts).
--
-- Little is known at first, so all start from what is usual: odds of 2 to 2, and a median of 1.2 of
-- the setting, with the weight of two pauses. The constants are tuned with bench/quiet-time.
create or replace function quiet_time_ms(
  setting_ms float8, messages int, gaps int, mean float8, variance float8, end_odds float8
) returns float8 language sql immutable parallel safe as $$
  select coalesce(least_loss_ms(
    mean + (ln(1.2 * setting_ms) - mean) * 2 / (least(gaps, 12) + 2),
    variance + (0.5 - variance) * 2 / (least(gaps, 12) + 2),
    end_odds * (gaps + 2) / (greatest(messages - gaps, 0) + 2)), 0)
$$;
