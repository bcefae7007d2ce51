-- When a debounced job is due. No other code computes this. The function is `stable` and not `immutable`:
-- interval arithmetic is stable, so the planner would not inline an immutable one.
create or replace function debounce_due_at(
  first_at timestamptz, quiet_at timestamptz, count int, chars int, pending int, now timestamptz,
  max_wait_ms float8, max_size int, max_chars int
) returns timestamptz language sql stable parallel safe as $$
  select least(
    first_at + max_wait_ms * interval '1 millisecond',
    case when pending > 0 then 'infinity'
         when count >= max_size or chars >= max_chars then now
         else quiet_at end)
$$;
