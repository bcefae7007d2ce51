-- The current share of the allowed rate. It grows by a hundredth of the full rate for each second
-- without another 429.
create or replace function notion_rate(rate float8, recovers_from timestamptz, now timestamptz)
returns float8 language sql stable parallel safe as $$
  select least(1, rate + 0.01 *
    greatest(0, coalesce(extract(epoch from now - recovers_from)::float8, 0)))
$$;

-- How long a change waits for further changes, from least_ms to most_ms. The greater of two
-- pressures counts: a lower rate of the limiter (each 429 halves it, down to an eighth, and it
-- recovers by itself), or many ready boards. Up to 5 ready boards are no queue; with 20, a board
-- waits for a minute or more anyway.
create or replace function notion_quiet_ms(
  least_ms float8, most_ms float8, rate float8, ready int
) returns float8 language sql immutable parallel safe as $$
  select least_ms + greatest(0, most_ms - least_ms)
    * least(1, greatest(0, (1 - rate) / 0.875, (ready - 5) / 15.0))
$$;
