-- Whether the sending of a reply has ended without the whole reply: one dead part ends it.
create or replace function delivery_given_up(p_turn bigint) returns bool
language sql stable parallel safe as $$
  select exists (select from delivery where turn_id = p_turn and state = 'dead')
$$;
