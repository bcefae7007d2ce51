-- The trigger in place of a check in tables that are written with every message. PostgreSQL parses each
-- check of a table anew in each statement that writes the table, also when the checked column stays as
-- it is; a trigger of a column costs nothing then.
create or replace function refuse_value() returns trigger language plpgsql as $$
begin
  raise check_violation using
    table = tg_table_name, column = tg_argv[0], constraint = tg_name,
    message = format('%s.%s has an unknown value', tg_table_name, tg_argv[0]);
end $$;
