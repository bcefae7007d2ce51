-- The program knows its channels (ChannelRegistry), so adding one changes no table.
alter table continuation drop constraint continuation_channel_check;
alter table conversation drop constraint conversation_channel_check;
alter table message drop constraint message_channel_check;
