-- A file whose bytes were deleted when their retention time was over is `deleted`; until now it was
-- still called `kept`.
alter table file
  drop constraint file_state_check,
  add constraint file_state_check check (state in ('announced', 'kept', 'refused', 'deleted'));
update file set state = 'deleted' where state = 'kept' and bytes is null;
