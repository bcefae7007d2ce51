import { Injectable } from '@nestjs/common';
import type { Opts } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import type { Tx } from '../../../common/uow';
import type { SendHistory, ResendTime } from '../../../delivery';

/** A Bot API call in response to an update, other than the delivery of an interview's reply. */
export type BotCall =
  | { readonly method: 'sendMessage'; readonly params: Opts<'sendMessage'> }
  | { readonly method: 'answerCallbackQuery'; readonly params: Opts<'answerCallbackQuery'> }
  | {
      readonly method: 'editMessageReplyMarkup';
      readonly params: Opts<'editMessageReplyMarkup'>;
    }
  | { readonly method: 'leaveChat'; readonly params: Opts<'leaveChat'> }
  /** The file is made when it is sent, so its content is not stored twice. */
  | { readonly method: 'sendMyData'; readonly params: { readonly candidateId: string } };

export interface StoredBotReply extends SendHistory, ResendTime {
  readonly id: string;
  readonly call: BotCall;
  /** A send was begun, and its end was not stored. */
  readonly isBegun: boolean;
}

/**
 * The table `telegram_bot_reply`: the replies that a chat still has to get, in order. Queue `intake`
 * sends them. A row with `given_up_at` may have arrived; it waits for a person and blocks nothing.
 */
@Injectable()
export class BotReplyRepository {
  constructor(private readonly clock: Clock) {}

  async add(tx: Tx, chatId: number, call: BotCall): Promise<void> {
    await tx.query(
      `insert into telegram_bot_reply (chat_id, account_id, call, created_at)
       values ($1, (select user_id from telegram_account where user_id = $1), $2,
         coalesce($3::timestamptz, clock_timestamp()))`,
      [chatId, JSON.stringify(call), this.clock.databaseNow()],
    );
  }

  async next(tx: Tx, chatId: number): Promise<StoredBotReply | undefined> {
    const rows = await tx.query<StoredBotReply>(
      `select id, call, tries > 0 as "isBegun", 0 as failures, unknowns,
         server_errors as "serverErrors", outage_ms as "outageMs",
         coalesce(extract(epoch from
           due_at - coalesce($2::timestamptz, clock_timestamp()))::float8 * 1000, 0) as "dueInMs"
       from telegram_bot_reply where chat_id = $1 and given_up_at is null order by id limit 1`,
      [chatId, this.clock.databaseNow()],
    );
    return rows[0];
  }

  /** Before the send, so that a crash during it counts as a try. */
  async begun(tx: Tx, id: string): Promise<void> {
    await tx.query(`update telegram_bot_reply set tries = tries + 1 where id = $1`, [id]);
  }

  /** It was certainly not sent. */
  async notSent(tx: Tx, id: string): Promise<void> {
    await tx.query(`update telegram_bot_reply set tries = 0 where id = $1`, [id]);
  }

  /** Sends it again after a pause, which does not run during an outage if `outageMs` is not null. */
  async again(
    tx: Tx,
    id: string,
    again: SendHistory & { delayMs: number; outageMs: number | null },
  ): Promise<void> {
    await tx.query(
      `update telegram_bot_reply set tries = 0, unknowns = $2, server_errors = $3, outage_ms = $4,
         due_at = coalesce($6::timestamptz, clock_timestamp()) + $5::float8 * interval '1 millisecond'
       where id = $1`,
      [
        id,
        again.unknowns,
        again.serverErrors,
        again.outageMs,
        again.delayMs,
        this.clock.databaseNow(),
      ],
    );
  }

  /** Returns the conversation that its person is in, if any. */
  async giveUp(tx: Tx, id: string): Promise<string | null> {
    const [row] = await tx.query<{ conversationId: string | null }>(
      `update telegram_bot_reply a set tries = 0, given_up_at = coalesce($2::timestamptz, clock_timestamp())
       where id = $1 returning (
         select conversation_id from telegram_account where user_id = a.account_id)
         as "conversationId"`,
      [id, this.clock.databaseNow()],
    );
    return row?.conversationId ?? null;
  }

  /** Makes a given-up reply due again. Returns its chat; null: it is gone. */
  async revive(tx: Tx, id: string): Promise<string | null> {
    const [row] = await tx.query<{ chatId: string }>(
      `update telegram_bot_reply set given_up_at = null, unknowns = 0, server_errors = 0, due_at = null,
         outage_ms = null
       where id = $1 and given_up_at is not null returning chat_id as "chatId"`,
      [id],
    );
    return row?.chatId ?? null;
  }

  /** Deletes given-up replies whose item a person has closed without sending them again. */
  async sweep(tx: Tx): Promise<void> {
    await tx.query(
      `delete from telegram_bot_reply a where given_up_at is not null and not exists (
         select from attention
         where subject = 'telegram-reply:' || a.id and closed_at is null)`,
    );
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.query(`delete from telegram_bot_reply where id = $1`, [id]);
  }

  /** The candidate has blocked the bot: waiting messages are dropped. */
  async removeAll(tx: Tx, chatId: number): Promise<void> {
    await tx.query(`delete from telegram_bot_reply where chat_id = $1`, [chatId]);
  }
}
