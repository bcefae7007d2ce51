-- The earlier name of debounce_due_at. Replicas of the version before call it during an update; a later
-- version drops it.
create or replace function buffer_due_at(
  first_at timestamptz, quiet_at timestamptz, count int, weight int, holds int, now timestamptz,
  max_wait_ms float8, max_size int, max_chars int
) returns timestamptz language sql stable parallel safe as $$
  select debounce_due_at(first_at, quiet_at, count, weight, holds, now, max_wait_ms, max_size, max_chars)
$$;
