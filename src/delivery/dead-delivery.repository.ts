import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { Chat } from './delivery.service';

/** A message of which something was given up. */
export interface DeadMessage extends Chat {
  /** The part whose arrival is unconfirmed; null: the message has dead parts. */
  readonly unconfirmedPartId: string | null;
  readonly messageId: string;
  readonly conversationId: string;
  /** A later reply of the conversation was delivered: this one would arrive out of order. */
  readonly isPassed: boolean;
}

const COLUMNS = `case when d.state = 'sent' then d.id end as "unconfirmedPartId",
  d.message_id as "messageId", d.conversation_id as "conversationId", d.channel,
  d.chat, exists (select from turn u
    where u.conversation_id = d.conversation_id and u.id > d.turn_id and u.state = 'delivered')
    as "isPassed"`;

/** Messages that were given up, and how they are sent again. */
@Injectable()
export class DeadDeliveryRepository {
  constructor(private readonly clock: Clock) {}

  /** The conversation of a part. */
  async conversationOf(tx: Tx, deliveryId: string): Promise<string | undefined> {
    const rows = await tx.query<{ id: string }>(
      'select conversation_id as id from delivery where id = $1',
      [deliveryId],
    );
    return rows[0]?.id;
  }

  /** The message of a part; undefined unless the part is dead or was never confirmed. */
  async find(tx: Tx, deliveryId: string): Promise<DeadMessage | undefined> {
    const rows = await tx.query<DeadMessage>(
      `select ${COLUMNS} from delivery d
       where d.id = $1 and (d.state = 'dead' or d.state = 'sent' and not d.confirmed)`,
      [deliveryId],
    );
    return rows[0];
  }

  /** Conversations whose messages to the chat were given up since the person blocked it. */
  async listBlocked(tx: Tx, { channel, chat }: Chat): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select distinct conversation_id as id from delivery
       where channel = $1 and chat = $2 and state = 'dead' and error = 'blocked' order by 1`,
      [channel, chat],
    );
    return rows.map(({ id }) => id);
  }

  /** The last reply of the conversation that was given up because of a block. */
  async findLastBlocked(tx: Tx, conversationId: string): Promise<DeadMessage | undefined> {
    const rows = await tx.query<DeadMessage>(
      `select ${COLUMNS} from delivery d
       where d.conversation_id = $1 and d.state = 'dead' and d.error = 'blocked'
         and d.kind = 'reply'
       order by d.id desc limit 1`,
      [conversationId],
    );
    return rows[0];
  }

  /**
   * Makes its dead parts, or its unconfirmed one, pending again and resets their failures; parts
   * that were sent stay sent.
   */
  async revive(tx: Tx, { messageId, unconfirmedPartId }: DeadMessage): Promise<void> {
    await tx.query(
      `update delivery set state = 'pending', failures = 0, unknowns = 0, server_errors = 0,
         error = null, outage_ms = null, due_at = coalesce($2::timestamptz, clock_timestamp())
       where message_id = $1 and case when $3::bigint is null then state = 'dead'
         else id = $3 and state = 'sent' and not confirmed end`,
      [messageId, this.clock.databaseNow(), unconfirmedPartId],
    );
  }
}
