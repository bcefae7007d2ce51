-- The same checks in a form that PostgreSQL reads faster: it parses the stored form of every check anew
-- in each statement that writes the table, and an array of one literal is much shorter than a list.
-- Not valid until the next change: to check all rows here would lock the tables meanwhile.
alter table conversation
  drop constraint conversation_language_check,
  add constraint conversation_language_check
    check (language = any ('{ru,en}')) not valid,
  drop constraint conversation_status_check,
  add constraint conversation_status_check
    check (status = any ('{new,active,completed,declined,withdrawn,handed_over,expired}')) not valid,
  drop constraint conversation_owner,
  add constraint conversation_owner
    check (owner = any ('{model,asked,person}')) not valid;
alter table message
  drop constraint message_role_check,
  add constraint message_role_check
    check (role = any ('{user,assistant,system,event}')) not valid,
  drop constraint message_content_type_check,
  add constraint message_content_type_check
    check (content_type = any ('{TEXT,VOICE,FILE}')) not valid;
alter table turn
  drop constraint turn_state_check,
  add constraint turn_state_check
    check (state = any ('{opened,answered,delivered,failed,expired,merged}')) not valid;
alter table delivery
  drop constraint delivery_kind_check,
  add constraint delivery_kind_check
    check (kind = any ('{reply,notice}')) not valid,
  drop constraint delivery_state_check,
  add constraint delivery_state_check
    check (state = any ('{pending,sending,sent,unknown,dead}')) not valid;
alter table job
  drop constraint job_state_check,
  add constraint job_state_check
    check (state = any ('{open,running,retry,done,dead}')) not valid;
