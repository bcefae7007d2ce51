import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the buffer does inside the database. `buffer_due_at` is the one formula of when an answer
 * is due; nothing else computes it. An append is one call instead of six statements: at equal
 * connections that is what keeps it near a bare insert. In a function of READ COMMITTED each
 * statement sees what committed before it, so reads after the lock are never stale.
 */
export class BufferFunctions1764000000001 implements MigrationInterface {
  readonly name = 'BufferFunctions1764000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [DUE_AT, JOIN, APPEND]) await queryRunner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** `stable`, not `immutable`: only so does the planner inline it (interval arithmetic is stable). */
const DUE_AT = `
create function buffer_due_at(
  first_at timestamptz, quiet_at timestamptz, count int, weight int, holds int, now timestamptz,
  max_wait_ms float8, max_size int, max_chars int
) returns timestamptz language sql stable parallel safe as $$
  select least(
    first_at + max_wait_ms * interval '1 millisecond',
    case when holds > 0 then 'infinity'
         when count >= max_size or weight >= max_chars then now
         else quiet_at end)
$$`;

/** One more message for the conversation's open buffer, or a new buffer. Wants the same names. */
const JOIN_STATEMENT = `
  insert into task as t (lane, key, first_at, quiet_at, due_at, weight, holds, worker)
  values ('flush', p_conversation::text, v_now, v_quiet,
    buffer_due_at(v_now, v_quiet, 1, p_weight, p_holds, v_now,
      p_max_wait_ms, p_max_size, p_max_chars),
    p_weight, p_holds, p_worker)
  on conflict (lane, key) where state = 'open' do update set
    count = t.count + 1, weight = t.weight + excluded.weight, holds = t.holds + excluded.holds,
    sealed = false, worker = excluded.worker,
    quiet_at = greatest(t.quiet_at, excluded.quiet_at),
    due_at = buffer_due_at(t.first_at, greatest(t.quiet_at, excluded.quiet_at), t.count + 1,
      t.weight + excluded.weight, t.holds + excluded.holds, v_now,
      p_max_wait_ms, p_max_size, p_max_chars)
  returning t.id, t.due_at into buffer_id, due_at;`;

/** Only for a message that is stored already; the caller holds the conversation's lock. */
const JOIN = `
create function buffer_join(
  p_conversation uuid, p_weight int, p_holds int, p_worker text, p_now timestamptz,
  p_window_ms float8, p_max_wait_ms float8, p_max_size int, p_max_chars int,
  out buffer_id bigint, out due_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_quiet timestamptz := v_now + p_window_ms * interval '1 millisecond';
begin
  ${JOIN_STATEMENT}
end $$`;

/**
 * Stores a candidate's message in the open buffer. The first update takes the conversation's lock
 * and the message's number at once; a redelivery gives the number back and changes nothing. No
 * row: there is no such conversation.
 */
const APPEND = `
create function buffer_append(
  p_conversation uuid, p_message uuid, p_channel text, p_external_id text, p_content_type text,
  p_text text, p_question text, p_amends uuid, p_weight int, p_holds int, p_worker text,
  p_now timestamptz, p_window_ms float8, p_max_wait_ms float8, p_max_size int, p_max_chars int,
  out message_id uuid, out seq int, out buffer_id bigint, out due_at timestamptz,
  out is_new bool, out has_other_text bool
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_quiet timestamptz;
begin
  update conversation set last_seq = last_seq + 1 where id = p_conversation
  returning last_seq into seq;
  if not found then return; end if;

  v_now := coalesce(p_now, clock_timestamp());
  v_quiet := v_now + p_window_ms * interval '1 millisecond';
  select m.id, m.content_type = 'TEXT' and m.edited_at is null and m.text <> p_text
  into message_id, has_other_text
  from message m
  where m.conversation_id = p_conversation and m.channel = p_channel
    and m.external_id = p_external_id;
  if found then
    update conversation set last_seq = last_seq - 1 where id = p_conversation;
    is_new := false;
    select m.seq, m.buffer_id,
      coalesce(case when t.state in ('open', 'retry') then t.due_at end, m.received_at)
    into seq, buffer_id, due_at
    from message m left join task t on t.id = m.buffer_id where m.id = message_id;
    return;
  end if;

  ${JOIN_STATEMENT}

  insert into message (id, conversation_id, seq, role, channel, external_id, content_type, text,
    question_context, amends, received_at, buffer_id, before_reply)
  values (p_message, p_conversation, seq, 'user', p_channel, p_external_id, p_content_type, p_text,
    p_question, p_amends, v_now, buffer_id,
    exists (select from task t where t.lane = 'flush' and t.key = p_conversation::text
      and t.state in ('running', 'retry'))
    or exists (select from turn u where u.conversation_id = p_conversation
      and u.state in ('opened', 'answered')));
  message_id := p_message;
  is_new := true;
  has_other_text := false;
end $$`;
