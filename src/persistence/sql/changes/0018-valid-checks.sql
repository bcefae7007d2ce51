-- Checks the rows that were there before. It locks out neither readers nor writers.
alter table conversation
  validate constraint conversation_language_check,
  validate constraint conversation_status_check,
  validate constraint conversation_owner;
alter table message
  validate constraint message_role_check,
  validate constraint message_content_type_check;
alter table turn
  validate constraint turn_state_check;
alter table delivery
  validate constraint delivery_kind_check,
  validate constraint delivery_state_check;
alter table job
  validate constraint job_state_check;
