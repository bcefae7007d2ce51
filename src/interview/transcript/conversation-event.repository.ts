import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { Agent } from '../prompts/instructions';
import type { TurnEvent } from './turn-events';

export interface PlacedEvent {
  readonly seq: number;
  readonly at: Date;
  readonly event: TurnEvent;
}

/**
 * Agents' switches and tools' calls and results, as rows of the transcript (role `event`) that
 * candidates do not read. The caller holds the conversation's lock.
 */
@Injectable()
export class ConversationEventRepository {
  constructor(private readonly clock: Clock) {}

  /** Appends a turn's events, in order; from now on `agent` speaks. */
  async add(
    tx: Tx,
    turn: { readonly id: string; readonly conversationId: string },
    agent: Agent,
    events: readonly TurnEvent[],
  ): Promise<void> {
    await tx.query(ADD, [
      turn.conversationId,
      agent,
      turn.id,
      events.map(() => newId()),
      events.map((event) => JSON.stringify(event)),
      this.clock.databaseNow(),
    ]);
  }

  async list(tx: Tx, turnId: string): Promise<TurnEvent[]> {
    const rows = await tx.query<{ event: TurnEvent }>(
      `select event from message where turn_id = $1 and role = 'event' order by seq`,
      [turnId],
    );
    return rows.map(({ event }) => event);
  }

  /** All of a conversation, in order; `seq` is their place among its lines. */
  listOfConversation(tx: Tx, conversationId: string): Promise<PlacedEvent[]> {
    return tx.query<PlacedEvent>(
      `select seq, received_at as "at", event from message
       where conversation_id = $1 and role = 'event' order by seq`,
      [conversationId],
    );
  }
}

const ADD = `
with numbered as (
  update conversation set last_seq = last_seq + cardinality($4::uuid[]), agent = $2
  where id = $1 returning last_seq - cardinality($4::uuid[]) as before
)
insert into message (id, conversation_id, seq, role, channel, external_id, text, event, turn_id,
  received_at, cleared_at)
select e.id, $1, before + e.n, 'event', 'code', e.id::text, '', e.event::jsonb, $3,
  coalesce($6::timestamptz, clock_timestamp()), coalesce($6::timestamptz, clock_timestamp())
from numbered, unnest($4::uuid[], $5::text[]) with ordinality as e (id, event, n)`;
