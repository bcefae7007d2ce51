import { Injectable } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { storable } from '../../../common/text';
import type { Tx } from '../../../common/uow';
import { type AccountRow, COLUMNS, type TelegramAccount, accountOf } from '../account';

@Injectable()
export class UpdateRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Locks the account of an update's chat and stores the update as `add` does, in one statement.
   * Null: it is not stored, because the account is not known or something of the chat waits.
   */
  async take(
    tx: Tx,
    botId: number,
    { update, chatId, messageId }: Omit<UpdateOfAccount, 'accountId'> & { chatId: number },
  ): Promise<{ account: TelegramAccount; state: StoredState | null } | null> {
    const [row] = await tx.query<AccountRow & { state: StoredState | null }>(
      `select ${COLUMNS}, state from (
         select (taken.account).*, taken.state
         from telegram_take($1, $3, $4, $5, $6, $2) taken) a`,
      [botId, this.clock.databaseNow(), update.update_id, chatId, messageId, storableJson(update)],
    );
    return row === undefined ? null : { account: accountOf(row), state: row.state };
  }

  /**
   * Stores an update as `handled` in this commit, or as `waiting` if `mustWait` is set or another update
   * of its chat waits. Returns the state; null: it was stored before.
   */
  async add(
    tx: Tx,
    botId: number,
    incoming: {
      readonly update: Update;
      readonly chatId: number;
      readonly messageId: number | null;
      /** Null for a group. */
      readonly accountId: number | null;
      readonly mustWait: boolean;
    },
  ): Promise<StoredState | null> {
    const { update } = incoming;
    const [row] = await tx.query<{ state: StoredState }>(
      `insert into telegram_update
         (bot_id, update_id, chat_id, message_id, state, payload, received_at, account_id)
       select $1, $2, $3::bigint, $4, case when waits then 'waiting' else 'handled' end,
         case when waits then $5::jsonb end, coalesce($6::timestamptz, clock_timestamp()), $7
       from (select $8::bool or exists (
         select from telegram_update where chat_id = $3::bigint and state = 'waiting') as waits) w
       on conflict do nothing returning state`,
      [
        botId,
        update.update_id,
        incoming.chatId,
        incoming.messageId,
        storableJson(update),
        this.clock.databaseNow(),
        incoming.accountId,
        incoming.mustWait,
      ],
    );
    return row?.state ?? null;
  }

  /**
   * Stores updates of many people as `waiting`, in one statement that waits for no account's lock. Those
   * of a missing account, or of one that is being erased, are `left`. Returns them in the same order.
   */
  async addWaiting(
    tx: Tx,
    botId: number,
    updates: readonly UpdateOfAccount[],
  ): Promise<KeptState[]> {
    const rows = updates.map(({ update, accountId, messageId }) => ({
      update_id: update.update_id,
      chat_id: accountId,
      message_id: messageId,
      payload: update,
    }));
    const stored = await tx.query<{ updateId: string; isNew: boolean }>(
      `with given as (
         select * from jsonb_to_recordset($2::jsonb)
           as u(update_id bigint, chat_id bigint, message_id bigint, payload jsonb)),
       present as (
         select user_id from telegram_account where user_id = any($3::bigint[]) order by user_id
         for key share skip locked),
       added as (
         insert into telegram_update
           (bot_id, update_id, chat_id, message_id, state, payload, received_at, account_id)
         select $1, update_id, chat_id, message_id, 'waiting', payload,
           coalesce($4::timestamptz, clock_timestamp()), user_id
         from given join present on user_id = chat_id order by update_id
         on conflict do nothing returning update_id)
       select g.update_id as "updateId", a.update_id is not null as "isNew"
       from (select distinct update_id, chat_id from given) g
         join present on user_id = chat_id left join added a using (update_id)`,
      [
        botId,
        storableJson(rows),
        [...new Set(updates.map(({ accountId }) => accountId))],
        this.clock.databaseNow(),
      ],
    );
    const isNew = new Map(stored.map((row) => [Number(row.updateId), row.isNew]));
    return updates.map(({ update: { update_id: id } }) => {
      const state = isNew.get(id);
      if (state === undefined) return 'left';
      // The second of two equal updates is known.
      isNew.set(id, false);
      return state ? 'waiting' : 'known';
    });
  }

  /** Sets the longest wait for a lock in this transaction from now on. */
  async setLockTimeout(tx: Tx, ms: number): Promise<void> {
    await tx.query(`select set_config('lock_timeout', $1, true)`, [String(ms)]);
  }

  async hasWaiting(tx: Tx, chatId: number): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from telegram_update where chat_id = $1 and state = 'waiting' limit 1`,
      [chatId],
    );
    return rows.length > 0;
  }

  /** The chat's next updates in the order of their messages; a button press follows earlier messages. */
  nextWaiting(tx: Tx, chatId: number, atMost: number): Promise<WaitingUpdate[]> {
    return tx.query<WaitingUpdate>(
      `select bot_id as "botId", update_id as "updateId", payload as update,
         exists (select from telegram_bot_reply where chat_id = $1 and given_up_at is null)
           as "hasReplies"
       from telegram_update
       where chat_id = $1 and state = 'waiting' order by message_id, update_id limit $2`,
      [chatId, atMost],
    );
  }

  /** The first waiting update of each of these chats, by chat. */
  async nextOfChats(tx: Tx, chatIds: readonly number[]): Promise<Map<number, NextOfChat>> {
    const rows = await tx.query<NextOfChat & { chatId: string }>(
      `select c.id as "chatId", n.*, exists (
         select from telegram_bot_reply where chat_id = c.id and given_up_at is null) as "hasReplies"
       from unnest($1::bigint[]) as c(id) cross join lateral (
         select bot_id as "botId", update_id as "updateId", payload as update,
           lead(update_id) over chat is not null as "hasMore"
         from telegram_update where chat_id = c.id and state = 'waiting'
         window chat as (order by message_id, update_id) order by message_id, update_id limit 1) n`,
      [chatIds],
    );
    return new Map(rows.map(({ chatId, ...next }) => [Number(chatId), next]));
  }

  /** Marks them as handled in this commit. The caller holds the locks of their accounts. */
  async endAll(tx: Tx, updates: readonly WaitingUpdate[]): Promise<void> {
    await tx.query(
      `update telegram_update u set state = 'handled', payload = null
       from unnest($1::bigint[], $2::bigint[]) as e(bot_id, update_id)
       where u.bot_id = e.bot_id and u.update_id = e.update_id and u.state = 'waiting'`,
      [updates.map(({ botId }) => botId), updates.map(({ updateId }) => updateId)],
    );
  }

  /** It is handled. False: it was not waiting. */
  async end(tx: Tx, of: { readonly chatId: number; readonly updateId: string }): Promise<boolean> {
    const rows = await tx.query(
      `update telegram_update set state = 'handled', payload = null
       where chat_id = $1 and update_id = $2 and state = 'waiting' returning 1`,
      [of.chatId, of.updateId],
    );
    return rows.length > 0;
  }

  /** It is dead. Returns the conversation that its person is in, if any. */
  async giveUp(
    tx: Tx,
    of: { readonly chatId: number; readonly updateId: string },
  ): Promise<string | null> {
    const [row] = await tx.query<{ conversationId: string | null }>(
      `update telegram_update u set state = 'dead'
       where chat_id = $1 and update_id = $2 and state = 'waiting' returning (
         select conversation_id from telegram_account where user_id = u.account_id)
         as "conversationId"`,
      [of.chatId, of.updateId],
    );
    return row?.conversationId ?? null;
  }

  /** Makes a dead update wait again. Returns its chat, or null when the update is gone. */
  async revive(
    tx: Tx,
    of: { readonly botId: string; readonly updateId: string },
  ): Promise<string | null> {
    const rows = await tx.query<{ chatId: string }>(
      `update telegram_update set state = 'waiting'
       where bot_id = $1 and update_id = $2 and state = 'dead' returning chat_id as "chatId"`,
      [of.botId, of.updateId],
    );
    return rows[0]?.chatId ?? null;
  }

  /** Deletes a batch of old updates; true: there may be more. */
  async sweep(tx: Tx): Promise<boolean> {
    const rows = await tx.query(
      `delete from telegram_update where ctid = any(array(
         select ctid from telegram_update
         where state = 'handled'
           and received_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
         limit $3)) returning 1`,
      [this.clock.databaseNow(), KEPT_MS, SWEEP_BATCH],
    );
    return rows.length === SWEEP_BATCH;
  }
}

/** Telegram keeps an update for 24 h at most. */
const KEPT_MS = 48 * 3_600_000;
const SWEEP_BATCH = 5000;

/** An update of a person, by the account of its chat. */
export interface UpdateOfAccount {
  readonly update: Update;
  readonly accountId: number;
  readonly messageId: number | null;
}

export type StoredState = Extract<UpdateState, 'handled' | 'waiting'>;

/**
 * The table `telegram_update`: every update that Telegram sent, once.
 *
 *   (new) ──handled in the commit that stores it──> handled ──sweep, after 48 h──> deleted
 *     └──could not be handled at once──> waiting ──queue intake──> handled
 *                    ^                      └──its tries are used up──> dead
 *                    └──────────────────────── replay ─────────────────┘
 *
 *   handled  only its number is stored, so that a repetition is recognised.
 *   waiting  stored with its content; later updates of its chat wait behind it.
 *   dead     stored with its content; it is in the attention list.
 *
 * Handling a chat's updates needs its account's lock; storing one as `waiting` does not.
 */
type UpdateState = 'handled' | 'waiting' | 'dead';

/** `known`: it was stored before. `left`: it is not stored. */
export type KeptState = 'waiting' | 'known' | 'left';

export interface WaitingUpdate {
  readonly botId: string;
  readonly updateId: string;
  readonly update: Update;
  /** Earlier replies of the bot to the chat are still to be sent. */
  readonly hasReplies: boolean;
}

/** The next update of a chat. */
export interface NextOfChat extends WaitingUpdate {
  /** More updates wait behind it. */
  readonly hasMore: boolean;
}

/** Replaces characters that PostgreSQL cannot store, so that no update is lost because of one. */
function storableJson(updates: unknown): string {
  return JSON.stringify(updates, (_key, value: unknown) =>
    typeof value === 'string' ? storable(value, ' ') : value,
  );
}

/** Its jobs handle a chat's waiting updates and send the bot's replies; the key is the chat's id. */
export const INTAKE_QUEUE = 'intake';
