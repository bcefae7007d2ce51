-- The share of the allowed rate now: after each second without another 429, a hundredth of the full
-- rate comes back.
create or replace function notion_rate(rate float8, recovers_from timestamptz, now timestamptz)
returns float8 language sql stable parallel safe as $$
  select least(1, rate + 0.01 *
    greatest(0, coalesce(extract(epoch from now - recovers_from)::float8, 0)))
$$;

-- How long a change waits for more: from least_ms to most_ms, by the greater of two pressures. The
-- limiter's rate is halved by a 429, to an eighth at worst, and recovers by itself; boards that are
-- ready wait anyway, and 20 of them wait for a minute or more. Up to 5 are no queue.
create or replace function notion_quiet_ms(
  least_ms float8, most_ms float8, rate float8, ready int
) returns float8 language sql immutable parallel safe as $$
  select least_ms + greatest(0, most_ms - least_ms)
    * least(1, greatest(0, (1 - rate) / 0.875, (ready - 5) / 15.0))
$$;
