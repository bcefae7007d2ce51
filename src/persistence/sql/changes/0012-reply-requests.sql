-- One request to a model for a reply. `input` names the messages by id, so that what a candidate wrote
-- is not stored twice; `prompt_hash` and `input_hash` prove that a request that is built from it again
-- is the one that was sent. `output` is what the model wrote; null while it has not ended. Type json
-- and not jsonb, because the order of the keys is part of what was sent.
create table reply_request (
  attempt_id bigint primary key references llm_attempt(id) on delete cascade,
  turn_id bigint not null references turn(id) on delete cascade,
  model text not null,
  parameters json not null,
  prompt_hash text not null,
  input json not null,
  input_hash text not null,
  output json
);
create index reply_request_turn on reply_request (turn_id);

-- A reply may be asked for again (colloquy replay), which the ledger shows as a purpose of its own.
alter table llm_request drop constraint llm_request_purpose_check;
alter table llm_request add constraint llm_request_purpose_check
  check (purpose in ('interview', 'embed', 'rerank', 'score', 'transcribe', 'replay'));
