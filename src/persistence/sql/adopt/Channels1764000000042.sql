-- The program checks the names of channels (ChannelRegistry), so that a new channel changes no
-- table.
alter table continuation drop constraint continuation_channel_check;
alter table conversation drop constraint conversation_channel_check;
alter table message drop constraint message_channel_check;
