import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { Language } from '../../hiring';
import { type AccountRow, COLUMNS, type TelegramAccount, accountOf } from './account-row';
import type { Dialog } from './dialog/dialog';
import { accountName } from './dialog/person';
import type { LongText } from './messages/split-text';

export type { TelegramAccount } from './account-row';

/** `telegram_account`. Whoever handles an update holds the account's lock; a conversation's comes after it. */
@Injectable()
export class TelegramAccounts {
  constructor(private readonly clock: Clock) {}

  /** The account, made if it is new, locked: a chat's updates are handled one at a time. */
  async lock(tx: Tx, userId: number, language: Language): Promise<TelegramAccount> {
    const known = await this.lockKnown(tx, userId);
    if (known !== null) return known;
    await this.ensure(tx, userId, language);
    const account = await this.lockKnown(tx, userId);
    if (account === null) throw new Error('an account that was just made is not there');
    return account;
  }

  /** The account if it is there, locked. */
  async lockKnown(tx: Tx, userId: number): Promise<TelegramAccount | null> {
    const [row] = await tx.query<AccountRow>(
      `select ${COLUMNS} from telegram_account where user_id = $1 for no key update`,
      [userId, this.clock.databaseNow()],
    );
    return row === undefined ? null : accountOf(row);
  }

  /**
   * Those of these accounts that nobody has locked, nor the conversations that they are in, by user:
   * locked, as are the conversations.
   */
  async lockFree(tx: Tx, userIds: readonly number[]): Promise<Map<number, TelegramAccount>> {
    const rows = await tx.query<AccountRow>(
      `with account as (
         select * from telegram_account where user_id = any($1::bigint[]) order by user_id
         for no key update skip locked),
       held as (
         select id from conversation where id in (select conversation_id from account) order by id
         for no key update skip locked)
       select ${COLUMNS} from account
       where conversation_id is null or conversation_id in (select id from held)`,
      [userIds, this.clock.databaseNow()],
    );
    return new Map(rows.map((row) => [Number(row.user_id), accountOf(row)]));
  }

  /**
   * Every account that is or was in an interview of this candidate, to be deleted: who stores an
   * update for one of them waits here, before it holds anything else.
   */
  async lockOf(tx: Tx, candidateId: string): Promise<void> {
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
   * What is stored of the people who have agreed to these conversations, beside the conversations.
   * An update that waits is told where its chat is in one of them: it may be about another one.
   */
  exportOf(tx: Tx, conversationIds: readonly string[]): Promise<unknown[]> {
    return tx.query(
      `select user_id as "userId", language, paused_at as "pausedAt", blocked_at as "blockedAt",
         created_at as "createdAt", pin_failures as "wrongPins",
         array(select payload from telegram_update u
           where u.account_id = a.user_id and payload is not null
             and a.conversation_id = any($1::uuid[]) order by update_id)
           as "unhandledUpdates"
       from telegram_account a where account in (
         select account from account_conversation
         where conversation_id = any($1::uuid[]) and agreed_at is not null)
       order by user_id`,
      [conversationIds],
    );
  }

  /** What waits in chats that are in one of these conversations belongs to it. */
  async forgetWaiting(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    const chats = `select user_id from telegram_account where conversation_id = any($1::uuid[])`;
    await tx.query(
      `delete from telegram_update where account_id in (${chats}) and payload is not null`,
      [conversationIds],
    );
    await tx.query(`delete from telegram_answer where account_id in (${chats})`, [conversationIds]);
  }

  /**
   * With everything that is stored of this person on Telegram. Wrong PINs stay counted: forgetting
   * is no way around the lock.
   */
  async forget(tx: Tx, account: TelegramAccount): Promise<void> {
    const { userId, language, pinFailures, pinLocks, pinLockedForMs } = account;
    await tx.query(`delete from telegram_account where user_id = $1`, [userId]);
    if (pinFailures === 0 && pinLocks === 0) return;
    await this.ensure(tx, userId, language);
    await tx.query(
      `update telegram_account
       set pin_failures = $2, pin_locks = $5, pin_locked_until =
         coalesce($4::timestamptz, clock_timestamp()) + $3::float8 * interval '1 millisecond'
       where user_id = $1`,
      [userId, pinFailures, pinLockedForMs, this.clock.databaseNow(), pinLocks],
    );
  }

  /**
   * The chat in which a conversation is held; null: nowhere on Telegram. If its person has gone on to
   * another interview, it is the chat of their last message in this one.
   */
  async chatOf(tx: Tx, conversationId: string): Promise<string | null> {
    const [row] = await tx.query<{ userId: string | null }>(
      `select coalesce(
         (select user_id from telegram_account where conversation_id = $1
          order by created_at desc limit 1),
         (select a.user_id from telegram_account a
          where a.user_id = (
            select case when m.external_id ~ '^[0-9]+:[0-9]{1,18}:'
              then split_part(m.external_id, ':', 2)::bigint end
            from message m
            where m.conversation_id = $1 and m.channel = 'telegram' and m.role = 'user'
            order by m.seq desc limit 1))) as "userId"`,
      [conversationId],
    );
    return row?.userId ?? null;
  }

  /** This chat is where the conversation is held from now on, and no other. The pair is recorded. */
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

  /** The chat is in no interview any more, if it was in this one. */
  async leave(tx: Tx, userId: number, conversationId: string): Promise<void> {
    await tx.query(
      `update telegram_account set conversation_id = null, has_agreed = false
       where user_id = $1 and conversation_id = $2`,
      [userId, conversationId],
    );
  }

  /** No other chat is in these interviews any more. */
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

  /** For how long PINs of this account are not taken, in milliseconds; takes no lock. */
  async pinLockedForMs(tx: Tx, userId: number): Promise<number> {
    const [row] = await tx.query<AccountRow>(
      `select ${COLUMNS} from telegram_account where user_id = $1`,
      [userId, this.clock.databaseNow()],
    );
    return row?.pin_locked_for_ms ?? 0;
  }

  /**
   * A wrong PIN; after `limit` of them no more are taken for `lockMs`, and counting starts again.
   * Each further lock is four times as long, up to a day; a week after the last one it begins anew.
   */
  async pinFailed(
    tx: Tx,
    userId: number,
    { limit, lockMs }: { limit: number; lockMs: number },
  ): Promise<{ lockedForMs: number }> {
    const [row] = await tx.query<{ lockedForMs: number }>(
      `with given as (
         select coalesce($4::timestamptz, clock_timestamp()) as now, user_id,
           pin_failures + 1 >= $2 as is_limit,
           case when pin_locked_until < coalesce($4::timestamptz, clock_timestamp())
             - interval '7 days' then 0 else pin_locks end as locks
         from telegram_account where user_id = $1)
       update telegram_account a
       set pin_failures = case when is_limit then 0 else pin_failures + 1 end,
         pin_locks = case when is_limit then locks + 1 else locks end,
         pin_locked_until = case when is_limit
           then now + least($3::float8 * power(4, least(locks, 10)), 86400000)
             * interval '1 millisecond'
           else pin_locked_until end
       from given where a.user_id = given.user_id
       returning case when is_limit
         then extract(epoch from pin_locked_until - now)::float8 * 1000 else 0 end
         as "lockedForMs"`,
      [userId, limit, lockMs, this.clock.databaseNow()],
    );
    return { lockedForMs: row?.lockedForMs ?? 0 };
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
