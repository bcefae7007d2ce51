import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DomainEventHandler, type PayloadOf, type ResultOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { isClosedSql } from '../../candidates';
import type { Language } from '../../vacancies';
import {
  type AccountRow,
  COLUMNS,
  type TelegramAccount,
  accountOf,
  type Dialog,
  accountName,
} from './account';
import type { LongText } from './messages/message-text';
import { pinAccountHash } from './intake/pin-limits.repository';

export type { TelegramAccount } from './account';

/** Another bot, and how many stored people wrote to it most recently. */
export interface OtherBot {
  readonly botId: string;
  readonly accounts: number;
}

/** An interview that its person has left for another one in the same chat. */
interface InterviewNotOpen {
  readonly language: Language;
  readonly title: string;
  readonly company: string;
  /** Null until a process with the bot has started. */
  readonly botName: string | null;
}

/** This many of the newest accounts are enough to see that the token is now another bot's. */
const LATEST_ACCOUNTS = 1000;

/** The table `telegram_account`. Lock order: the account, then its conversation. */
@Injectable()
export class TelegramAccountRepository {
  constructor(private readonly clock: Clock) {}

  /** Locks the account, creating it if it is missing, so that a chat's updates are handled one at a time. */
  async lock(tx: Tx, userId: number, language: Language): Promise<TelegramAccount> {
    const known = await this.lockKnown(tx, userId);
    if (known !== null) return known;
    await this.ensure(tx, userId, language);
    const account = await this.lockKnown(tx, userId);
    if (account === null) throw new Error('the account that was just created is missing');
    return account;
  }

  /** Locks the account; null: there is none. */
  async lockKnown(tx: Tx, userId: number): Promise<TelegramAccount | null> {
    const [row] = await tx.query<AccountRow>(
      `select ${COLUMNS} from telegram_account a where a.user_id = $1 for no key update of a`,
      [userId],
    );
    return row === undefined ? null : accountOf(row);
  }

  /**
   * Locks the accounts that are unlocked and whose conversation is unlocked; skips the others. Keyed by
   * user id.
   */
  async lockFree(tx: Tx, userIds: readonly number[]): Promise<Map<number, TelegramAccount>> {
    const rows = await tx.query<AccountRow>(
      `with account as (
         select * from telegram_account where user_id = any($1::bigint[]) order by user_id
         for no key update skip locked),
       held as (
         select id from conversation where id in (select conversation_id from account) order by id
         for no key update skip locked)
       select ${COLUMNS} from account a
       where conversation_id is null or conversation_id in (select id from held)`,
      [userIds],
    );
    return new Map(rows.map((row) => [Number(row.user_id), accountOf(row)]));
  }

  /**
   * Locks every account that is or was in an interview of this candidate, for deletion. An update of
   * such an account waits for this lock before it takes any other.
   */
  @DomainEventHandler('candidate.erasing')
  async lockOf(tx: Tx, { candidateId }: PayloadOf<'candidate.erasing'>): Promise<void> {
    await tx.query(
      `select 1 from telegram_account where account in (
         select a.account from account_conversation a join conversation c on c.id = a.conversation_id
         where c.candidate_id = $1)
       order by user_id for update`,
      [candidateId],
    );
  }

  async ensure(tx: Tx, userId: number, language: Language): Promise<void> {
    await tx.query(
      `insert into telegram_account (user_id, language, created_at)
       values ($1, $2, coalesce($3::timestamptz, clock_timestamp()))
       on conflict (user_id) do nothing`,
      [userId, language, this.clock.databaseNow()],
    );
  }

  /**
   * The account data of the people who have agreed to these conversations. A waiting update is included
   * only if its chat is in one of them, because it may be about another interview.
   */
  @DomainEventHandler('candidate.exported')
  async exportOf(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const accounts = await tx.query(
      `select user_id as "userId", language, paused_at as "pausedAt", blocked_at as "blockedAt",
         created_at as "createdAt",
         coalesce((select tries from pin_failure where account_hash = ${pinAccountHash('a.user_id')}),
           0) as "wrongPins",
         array(select payload from telegram_update u
           where u.account_id = a.user_id and payload is not null
             and a.conversation_id = any($1::uuid[]) order by update_id)
           as "unhandledUpdates"
       from telegram_account a where account in (
         select p.account from account_conversation p
         where p.conversation_id = any($1::uuid[]) and p.agreed_at is not null
           and not ${isClosedSql('p.account', 'p.conversation_id')})
       order by user_id`,
      [conversationIds],
    );
    return { name: 'telegram', data: accounts.length === 0 ? undefined : accounts };
  }

  /**
   * Deletes the waiting updates and replies of chats that are in one of these conversations. Accounts
   * that were only in these conversations are deleted with them.
   */
  @DomainEventHandler('conversation.erased', { order: 10 })
  async forgetWaiting(
    tx: Tx,
    { conversationIds }: PayloadOf<'conversation.erased'>,
  ): Promise<void> {
    const chats = `select user_id from telegram_account where conversation_id = any($1::uuid[])`;
    await tx.query(
      `delete from telegram_update where account_id in (${chats}) and payload is not null`,
      [conversationIds],
    );
    await tx.query(`delete from telegram_bot_reply where account_id in (${chats})`, [
      conversationIds,
    ]);
  }

  /** Deletes the account and what belongs to it; PinLimits keeps the count of wrong PINs. */
  async forget(tx: Tx, { userId }: TelegramAccount): Promise<void> {
    await tx.query(`delete from telegram_account where user_id = $1`, [userId]);
  }

  /**
   * Accounts without any interview that are older than `keptDays` and wait for nothing: counts them, or
   * deletes the oldest `limit`.
   */
  @DomainEventHandler('retention.due')
  async deleteUnused(
    tx: Tx,
    { class: due, keptDays, limit }: PayloadOf<'retention.due'>,
  ): Promise<ResultOf<'retention.due'>> {
    if (due !== 'account') return { count: 0, oldestAt: null };
    const of = [this.clock.databaseNow(), keptDays];
    if (limit === null) {
      const [row] = await tx.query<{ count: number; oldestAt: Date | null }>(
        `select count(*)::int as count, min(created_at) as "oldestAt" from (${UNUSED}) unused`,
        of,
      );
      return row ?? { count: 0, oldestAt: null };
    }
    const rows = await tx.query(
      `delete from telegram_account where user_id in (
         select user_id from (${UNUSED} order by created_at limit $3 for update skip locked) unused)
       returning 1`,
      [...of, limit],
    );
    return { count: rows.length, oldestAt: null };
  }

  /**
   * The chat of a conversation; null: none on Telegram. If the person is in another interview by now,
   * it is the chat of their last message in this one. An account whose invitation was issued again
   * gets no message.
   */
  async chatOf(tx: Tx, conversationId: string): Promise<string | null> {
    const [row] = await tx.query<{ userId: string | null }>(
      `select coalesce(
         (select user_id from telegram_account a
          where conversation_id = $1 and not ${isClosedSql('a.account', '$1')}
          order by created_at desc limit 1),
         (select a.user_id from telegram_account a
          where a.user_id = (
            select case when m.external_id ~ '^[0-9]+:[0-9]{1,18}:'
              then split_part(m.external_id, ':', 2)::bigint end
            from message m
            where m.conversation_id = $1 and m.channel = 'telegram' and m.role = 'user'
            order by m.seq desc limit 1)
            and not ${isClosedSql(`'telegram:' || a.user_id`, '$1')})) as "userId"`,
      [conversationId],
    );
    return row?.userId ?? null;
  }

  /** The interview when the chat is in another one or in none; null when the chat is in this one. */
  async findNotOpen(
    tx: Tx,
    conversationId: string,
    chat: string,
  ): Promise<InterviewNotOpen | null> {
    const [row] = await tx.query<InterviewNotOpen>(
      `select c.language, v.title, v.company, (select bot_name from instance) as "botName"
       from telegram_account a join conversation c on c.id = $1 join vacancy v on v.id = c.vacancy_id
       where a.user_id = $2 and a.conversation_id is distinct from c.id`,
      [conversationId, chat],
    );
    return row ?? null;
  }

  /** The chat of a turn; null: its answer did not come from Telegram, or its conversation has no chat. */
  async chatOfTurn(tx: Tx, turnId: string): Promise<number | null> {
    const [turn] = await tx.query<{ conversationId: string }>(
      `select conversation_id as "conversationId" from turn
       where id = $1 and channel = 'telegram'`,
      [turnId],
    );
    const chat = turn === undefined ? null : await this.chatOf(tx, turn.conversationId);
    return chat === null ? null : Number(chat);
  }

  /** The bots other than `botId` to which the newest accounts wrote most recently. */
  listOtherBots(tx: Tx, botId: number): Promise<OtherBot[]> {
    return tx.query<OtherBot>(
      `with latest as (
         select user_id, conversation_id from telegram_account order by created_at desc limit $2),
       wrote as (
         select coalesce(
           (select u.bot_id from telegram_update u where u.account_id = a.user_id
            order by u.received_at desc limit 1),
           (select split_part(m.external_id, ':', 1)::bigint from message m
            where m.conversation_id = a.conversation_id and m.channel = 'telegram'
              and m.role = 'user' and m.external_id ~ '^[0-9]{1,18}:[0-9]{1,18}:'
            order by m.seq desc limit 1)) as bot_id
         from latest a)
       select bot_id as "botId", count(*)::int as accounts from wrote
       where bot_id <> $1 group by bot_id order by count(*) desc`,
      [botId, LATEST_ACCOUNTS],
    );
  }

  /** Makes this chat the only one of the conversation. The caller records the pair. */
  async enter(
    tx: Tx,
    userId: number,
    conversationId: string,
    { hasAgreed }: { hasAgreed: boolean },
  ): Promise<void> {
    await this.leaveToOne(tx, userId, [conversationId]);
    await tx.query(
      `update telegram_account
       set conversation_id = $2, has_agreed = $3, account = $4, dialog = '{"kind": "none"}',
         paused_at = null
       where user_id = $1`,
      [userId, conversationId, hasAgreed, accountName(userId)],
    );
  }

  /** Takes the chat out of this interview. */
  async leave(tx: Tx, userId: number, conversationId: string): Promise<void> {
    await tx.query(
      `update telegram_account set conversation_id = null, has_agreed = false
       where user_id = $1 and conversation_id = $2`,
      [userId, conversationId],
    );
  }

  /** Takes all other chats out of these interviews. */
  async leaveToOne(tx: Tx, userId: number, conversationIds: readonly string[]): Promise<void> {
    await tx.query(
      `update telegram_account set conversation_id = null, has_agreed = false
       where conversation_id = any($2::uuid[]) and user_id <> $1`,
      [userId, conversationIds],
    );
  }

  async agreed(tx: Tx, userId: number): Promise<void> {
    await tx.query(`update telegram_account set has_agreed = true where user_id = $1`, [userId]);
  }

  async setDialog(tx: Tx, userId: number, dialog: Dialog): Promise<void> {
    await tx.query(`update telegram_account set dialog = $2 where user_id = $1`, [
      userId,
      JSON.stringify(dialog),
    ]);
  }

  async setLongText(tx: Tx, userId: number, longText: LongText): Promise<void> {
    await tx.query(`update telegram_account set long_text = $2 where user_id = $1`, [
      userId,
      JSON.stringify(longText),
    ]);
  }

  async setLanguage(tx: Tx, userId: number, language: Language): Promise<void> {
    await tx.query(`update telegram_account set language = $2 where user_id = $1`, [
      userId,
      language,
    ]);
  }

  async setPaused(tx: Tx, userId: number, isPaused: boolean): Promise<void> {
    await this.mark(tx, 'paused_at', userId, isPaused);
  }

  async setBlocked(tx: Tx, userId: number, isBlocked: boolean): Promise<void> {
    await this.mark(tx, 'blocked_at', userId, isBlocked);
  }

  private async mark(
    tx: Tx,
    column: 'paused_at' | 'blocked_at',
    userId: number,
    isSet: boolean,
  ): Promise<void> {
    await tx.query(
      `update telegram_account
       set ${column} = case when $2 then coalesce($3::timestamptz, clock_timestamp()) end
       where user_id = $1`,
      [userId, isSet, this.clock.databaseNow()],
    );
  }
}

/** $1: now; $2: days. An account with an unhandled update, or a reply to send, is in use. */
const UNUSED = `select user_id, created_at from telegram_account a
  where a.conversation_id is null
    and a.created_at < coalesce($1::timestamptz, clock_timestamp()) - $2::float8 * interval '24 hours'
    and not exists (select from account_conversation p where p.account = 'telegram:' || a.user_id)
    and not exists (select from telegram_update u
      where u.account_id = a.user_id and u.payload is not null)
    and not exists (select from telegram_bot_reply r where r.account_id = a.user_id)`;
