-- Every message updates its conversation. PostgreSQL parses each check of a table anew in each statement
-- that writes the table, also when the checked column stays as it is. A trigger of a column costs nothing
-- then. The strongest lock is taken first: with a weaker one before it, running commits and this change
-- would wait for each other.
alter table conversation
  drop constraint conversation_language_check,
  drop constraint conversation_status_check,
  drop constraint conversation_owner;

create function refuse_value() returns trigger language plpgsql as $$
begin
  raise check_violation using
    table = tg_table_name, column = tg_argv[0], constraint = tg_name,
    message = format('%s.%s has an unknown value', tg_table_name, tg_argv[0]);
end $$;

create trigger conversation_language_check after insert or update of language on conversation
  for each row when (new.language <> all ('{ru,en}'))
  execute function refuse_value('language');
create trigger conversation_status_check after insert or update of status on conversation
  for each row when (new.status
    <> all ('{new,active,completed,declined,withdrawn,handed_over,expired}'))
  execute function refuse_value('status');
create trigger conversation_owner_check after insert or update of owner on conversation
  for each row when (new.owner <> all ('{model,asked,person}'))
  execute function refuse_value('owner');
