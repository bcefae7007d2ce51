import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { type ReplyAdapter, WEB_ADAPTER } from './reply-adapter';

/**
 * What has to reach a candidate (`delivery`), one row for each part of a message.
 *
 *   pending ──claim──> sending ──message id known──> sent
 *                         ├─ nobody knows whether it arrived ──> unknown ──one retry──> sent (unconfirmed)
 *                         └─ refused for good, tries used up ──> dead
 *
 * A channel that delivers by storing (the web page) writes `sent` at once. Only rows of kind
 * `reply` settle a turn.
 */
@Injectable()
export class Deliveries {
  private readonly adapters = new Map<string, ReplyAdapter>([[WEB_ADAPTER.channel, WEB_ADAPTER]]);

  constructor(private readonly clock: Clock) {}

  /** Adds the parts of a stored message; `isDelivered` when nothing remains to be sent. */
  async add(
    tx: Tx,
    message: {
      conversationId: string;
      turnId: string | null;
      messageId: string;
      kind: 'reply' | 'notice';
      channel: string;
      chat: string;
      text: string;
    },
  ): Promise<{ isDelivered: boolean }> {
    const adapter = this.adapters.get(message.channel) ?? WEB_ADAPTER;
    const parts = adapter.parts(message.text);
    const state = adapter.deliversByStoring ? 'sent' : 'pending';
    await tx.query(
      `insert into delivery (conversation_id, turn_id, message_id, kind, channel, chat, part, text,
         plain, state, due_at, sent_at)
       select $1, $2, $3, $4, $5, $6, p.part - 1, p.text, p.plain, $9,
         coalesce($10::timestamptz, clock_timestamp()),
         case when $9 = 'sent' then coalesce($10::timestamptz, clock_timestamp()) end
       from unnest($7::text[], $8::text[]) with ordinality as p (text, plain, part)`,
      [
        message.conversationId,
        message.turnId,
        message.messageId,
        message.kind,
        adapter.channel,
        message.chat,
        parts.map((part) => part.text),
        parts.map((part) => part.plain),
        state,
        this.clock.databaseNow(),
      ],
    );
    return { isDelivered: adapter.deliversByStoring };
  }
}
