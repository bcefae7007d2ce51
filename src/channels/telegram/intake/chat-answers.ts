import { Injectable } from '@nestjs/common';
import type { Opts } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import type { Tx } from '../../../common/uow';

/** What the bot does in answer to an update, other than to deliver a reply. */
export type AnswerCall =
  | { readonly method: 'sendMessage'; readonly params: Opts<'sendMessage'> }
  | { readonly method: 'answerCallbackQuery'; readonly params: Opts<'answerCallbackQuery'> }
  | {
      readonly method: 'editMessageReplyMarkup';
      readonly params: Opts<'editMessageReplyMarkup'>;
    }
  | { readonly method: 'leaveChat'; readonly params: Opts<'leaveChat'> }
  /** A file that is made when it is sent: what it holds is not stored once more. */
  | { readonly method: 'sendMyData'; readonly params: { readonly candidateId: string } };

export interface StoredAnswer {
  readonly id: string;
  readonly call: AnswerCall;
  /** Sends that were begun, but for those that are known to have come to nothing. */
  readonly tries: number;
}

/** `telegram_answer`: what a chat still has to be told, in order. Sent by the lane `intake`. */
@Injectable()
export class ChatAnswers {
  constructor(private readonly clock: Clock) {}

  async add(tx: Tx, chatId: number, call: AnswerCall): Promise<void> {
    await tx.query(
      `insert into telegram_answer (chat_id, account_id, call, created_at)
       values ($1, (select user_id from telegram_account where user_id = $1), $2,
         coalesce($3::timestamptz, clock_timestamp()))`,
      [chatId, JSON.stringify(call), this.clock.databaseNow()],
    );
  }

  async next(tx: Tx, chatId: number): Promise<StoredAnswer | undefined> {
    const rows = await tx.query<StoredAnswer>(
      `select id, call, tries from telegram_answer where chat_id = $1 order by id limit 1`,
      [chatId],
    );
    return rows[0];
  }

  /** Before the send: a crash during it counts. */
  async begun(tx: Tx, id: string): Promise<void> {
    await tx.query(`update telegram_answer set tries = tries + 1 where id = $1`, [id]);
  }

  /** It was surely not sent. */
  async notSent(tx: Tx, id: string): Promise<void> {
    await tx.query(`update telegram_answer set tries = greatest(0, tries - 1) where id = $1`, [id]);
  }

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.query(`delete from telegram_answer where id = $1`, [id]);
  }

  /** Whoever takes nothing gets nothing later either. */
  async removeAll(tx: Tx, chatId: number): Promise<void> {
    await tx.query(`delete from telegram_answer where chat_id = $1`, [chatId]);
  }
}
