import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { ResendTime } from './channel-limiter.repository';
import type { Chat } from './delivery.service';
import type { SendHistory } from './resend-rules';
import type { DeliveryPart, SendOutcome } from '../channels';

/**
 * What has to reach a candidate (`delivery`), one row for each part of a message.
 *
 *   pending ──claim──> sending ──message id known──> sent
 *      ^                │ │ └─ it may have arrived ─> unknown ──resend──> sending ─> …
 *      └─ not sent ──────┘ │                               └─ resends used up ─> sent (unconfirmed)
 *                        └─ refused, blocked, tries used up ──> dead
 *
 *   pending  is sent once it is the chat's first unsent part and `due_at` has come. A notice that is
 *            held (it is night where the candidate is) lets other parts pass until then.
 *   sending  a claim has stored that it sends. Another claim that finds it makes it unknown.
 *   unknown  may have arrived (`unknowns` and `server_errors` times so far). Due again like a
 *            pending one; the time of an outage of the channel does not count towards its pause.
 *   sent     arrived; or, not `confirmed`, may have arrived, and only a person sends it again.
 *   dead     will not be sent, nor will the later parts of its message; only a replay or an unblock
 *            makes it pending again.
 *
 * The text of a confirmed part is deleted, because it is not sent again. A message of one part
 * stores no part text either: the channel builds the part from the message whenever it sends it.
 *
 * A channel that delivers by storing (the web page) writes `sent` at once. Every other change is
 * made under the conversation's lock by the holder of the chat's job in the queue `deliver`; a dead
 * row returns to pending under the conversation's lock alone.
 */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'unknown' | 'dead';

/** Still to be sent or settled. In `delivery_pending`, so that a chat's first row is one index probe. */
const LIVE = `('pending', 'sending', 'unknown')`;

/** `error` of parts that are dead because the candidate blocked the channel. */
const BLOCKED = 'blocked';

/** `error` of a notice that waits for its hour of the day. */
const HELD = 'held';

export interface PartRow extends SendHistory, ResendTime, Chat {
  readonly id: string;
  readonly conversationId: string;
  readonly turnId: string | null;
  readonly messageId: string;
  readonly messageText: string;
  /** Null: the part is the whole message. */
  readonly text: string | null;
  /** Null: the same as `text`. */
  readonly plain: string | null;
  readonly kind: 'reply' | 'notice';
  /** From 0. */
  readonly part: number;
  readonly isLast: boolean;
  readonly language: 'ru' | 'en';
  readonly isAnswerable: boolean;
  readonly state: DeliveryState;
  /** The claim that last wrote `sending`. */
  readonly claimedBy: string | null;
}

const COLUMNS = `d.id, d.conversation_id as "conversationId", d.turn_id as "turnId",
  d.message_id as "messageId", d.kind, d.channel, d.chat, d.part,
  (select m.text from message m where m.id = d.message_id) as "messageText", d.text, d.plain,
  d.state, d.failures, d.unknowns, d.server_errors as "serverErrors", d.outage_ms as "outageMs",
  d.claimed_by as "claimedBy",
  not exists (select from delivery n where n.message_id = d.message_id and n.part > d.part)
    as "isLast", c.language, awaits_answer(c.status) as "isAnswerable"`;

export interface NewDelivery extends Chat {
  readonly conversationId: string;
  readonly turnId: string | null;
  readonly messageId: string;
  readonly kind: 'reply' | 'notice';
  /** The text of the parts: a notice may say more than its message. */
  readonly text: string;
}

/** How a send ended; `started`: no outcome is stored, its process may have crashed. */
export type AttemptOutcome = 'started' | SendOutcome['kind'];

export interface AttemptRow {
  readonly id: string;
  readonly outcome: AttemptOutcome;
  readonly externalId: string | null;
}

/** Parts and the log of sends. Every writer of a part holds the conversation's lock. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly clock: Clock) {}

  async insert(
    tx: Tx,
    of: NewDelivery,
    parts: readonly DeliveryPart[],
    state: 'pending' | 'sent',
  ): Promise<void> {
    await tx.query(
      `insert into delivery (conversation_id, turn_id, message_id, kind, channel, chat, part, text,
         plain, state, due_at, sent_at)
       select $1, $2, $3, $4, $5, $6, p.part - 1,
         case when $9 <> 'sent' and not w.is_whole then p.text end,
         case when $9 <> 'sent' and not w.is_whole then nullif(p.plain, p.text) end, $9,
         coalesce($10::timestamptz, clock_timestamp()),
         case when $9 = 'sent' then coalesce($10::timestamptz, clock_timestamp()) end
       from unnest($7::text[], $8::text[]) with ordinality as p (text, plain, part)
       join message m on m.id = $3
       cross join lateral (select cardinality($7::text[]) = 1 and m.text = $11) as w (is_whole)`,
      [
        of.conversationId,
        of.turnId,
        of.messageId,
        of.kind,
        of.channel,
        of.chat,
        parts.map((part) => part.text),
        parts.map((part) => part.plain),
        state,
        this.clock.databaseNow(),
        of.text,
      ],
    );
  }

  /**
   * Takes the row lock of a conversation, which every commit takes before it changes a delivery or a
   * job: one lock order. Takes only the lock.
   */
  async lockConversation(tx: Tx, id: string): Promise<void> {
    await tx.query(`select 1 from conversation where id = $1 for no key update`, [id]);
  }

  /**
   * The chat's first part that is still to be sent or settled; one that is held comes after the others.
   * The conversation's lock keeps it the first.
   */
  async findFirst(tx: Tx, { channel, chat }: Chat): Promise<PartRow | undefined> {
    const rows = await tx.query<PartRow>(
      `select ${COLUMNS}, coalesce(extract(epoch from
           d.due_at - coalesce($3::timestamptz, clock_timestamp()))::float8 * 1000, 0) as "dueInMs"
       from delivery d join conversation c on c.id = d.conversation_id
       where d.channel = $1 and d.chat = $2 and d.state in ${LIVE}
       order by coalesce(d.error = '${HELD}'
         and d.due_at > coalesce($3::timestamptz, clock_timestamp()), false), d.id limit 1`,
      [channel, chat, this.clock.databaseNow()],
    );
    return rows[0];
  }

  /** Not before that time, and without holding up the parts behind it. */
  async hold(tx: Tx, id: string, forMs: number): Promise<void> {
    await tx.query(
      `update delivery set error = '${HELD}', outage_ms = null,
         due_at = coalesce($3::timestamptz, clock_timestamp()) + $2::float8 * interval '1 millisecond'
       where id = $1`,
      [id, forMs, this.clock.databaseNow()],
    );
  }

  async isSending(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.query(`select 1 from delivery where id = $1 and state = 'sending'`, [id]);
    return rows.length > 0;
  }

  async markSending(tx: Tx, id: string, claimedBy: string): Promise<void> {
    await tx.query(`update delivery set state = 'sending', claimed_by = $2 where id = $1`, [
      id,
      claimedBy,
    ]);
  }

  /** `externalId` null: unconfirmed. */
  async markSent(tx: Tx, id: string, externalId: string | null): Promise<void> {
    await tx.query(
      `update delivery set state = 'sent', confirmed = $2::text is not null, external_id = $2,
         text = case when $2 is null then text end, plain = case when $2 is null then plain end,
         sent_at = coalesce($3::timestamptz, clock_timestamp()), due_at = null, error = null
       where id = $1`,
      [id, externalId, this.clock.databaseNow()],
    );
  }

  /** Due again after `delayMs`; `unknown` if it may have arrived. */
  async markAgain(
    tx: Tx,
    id: string,
    again: SendHistory & { delayMs: number; error: string; outageMs: number | null },
  ): Promise<void> {
    await tx.query(
      `update delivery set state = case when $3::int + $7::int > 0 then 'unknown' else 'pending' end,
         failures = $2, unknowns = $3, error = $5, server_errors = $7, outage_ms = $8,
         due_at = coalesce($6::timestamptz, clock_timestamp()) + $4::float8 * interval '1 millisecond'
       where id = $1`,
      [
        id,
        again.failures,
        again.unknowns,
        again.delayMs,
        again.error,
        this.clock.databaseNow(),
        again.serverErrors,
        again.outageMs,
      ],
    );
  }

  /** All unsent parts of the message: the later ones make no sense without an earlier one. */
  async markDead(tx: Tx, part: { messageId: string; error: string }): Promise<void> {
    await tx.query(
      `update delivery set state = 'dead', error = $2, due_at = null
       where message_id = $1 and state in ${LIVE}`,
      [part.messageId, part.error],
    );
  }

  /** Conversations with something to send in the chat, in the order of locking. */
  async listConversations(tx: Tx, { channel, chat }: Chat): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select distinct conversation_id as id from delivery
       where channel = $1 and chat = $2 and state in ${LIVE} order by 1`,
      [channel, chat],
    );
    return rows.map(({ id }) => id);
  }

  /** Everything that these conversations had to send in the chat. */
  async markBlocked(
    tx: Tx,
    { channel, chat }: Chat,
    conversationIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `update delivery set state = 'dead', error = '${BLOCKED}', due_at = null
       where channel = $1 and chat = $2 and conversation_id = any($3::uuid[]) and state in ${LIVE}`,
      [channel, chat, conversationIds],
    );
  }

  /** Deletes all parts of these conversations; returns the chats that they went to. */
  async erase(tx: Tx, conversationIds: readonly string[]): Promise<Chat[]> {
    return tx.query<Chat>(
      `with gone as (
         delete from delivery where conversation_id = any($1::uuid[]) returning channel, chat)
       select distinct channel, chat from gone order by channel, chat`,
      [conversationIds],
    );
  }

  /** Every part of the message was sent. */
  async isComplete(tx: Tx, messageId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from delivery where message_id = $1 and state <> 'sent' limit 1`,
      [messageId],
    );
    return rows.length === 0;
  }

  /**
   * A row of the log of sends (`delivery_attempt`) is added before each send and completed after
   * it by the sender, also without the lease: so a claim that finds a part `sending` may still
   * learn how that send ended. `unconfirmed`: an earlier send may have arrived, so the candidate
   * may read it twice.
   */
  async beginAttempt(tx: Tx, deliveryId: string): Promise<string> {
    const rows = await tx.query<{ id: string }>(
      `insert into delivery_attempt (delivery_id, started_at, unconfirmed)
       select $1::bigint, coalesce($2::timestamptz, clock_timestamp()), exists (
         select from delivery_attempt
         where delivery_id = $1::bigint and outcome in ('started', 'unknown', 'server_error'))
       returning id`,
      [deliveryId, this.clock.databaseNow()],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('an insert returned no row');
    return row.id;
  }

  /** The first outcome that is stored for a send is kept. */
  async endAttempt(tx: Tx, id: string, outcome: SendOutcome): Promise<void> {
    await tx.query(
      `update delivery_attempt set outcome = $2, external_id = $3,
         ended_at = coalesce($4::timestamptz, clock_timestamp())
       where id = $1 and outcome = 'started'`,
      [
        id,
        outcome.kind,
        outcome.kind === 'sent' ? outcome.externalId : null,
        this.clock.databaseNow(),
      ],
    );
  }

  /**
   * The send that says most about the part: one that arrived, or else the last one. A send may have
   * arrived although later ones did not: its outcome was logged after they had begun.
   */
  async findDecisiveAttempt(tx: Tx, deliveryId: string): Promise<AttemptRow | undefined> {
    const rows = await tx.query<AttemptRow>(
      `select id, outcome, external_id as "externalId" from delivery_attempt
       where delivery_id = $1 order by outcome = 'sent' desc, id desc limit 1`,
      [deliveryId],
    );
    return rows[0];
  }
}

/** A message of which something was given up. */
export interface DeadMessage extends Chat {
  /** The part whose arrival is unconfirmed; null: the message has dead parts. */
  readonly unconfirmedPartId: string | null;
  readonly messageId: string;
  readonly conversationId: string;
  /** A later reply of the conversation was delivered: this one would arrive out of order. */
  readonly isPassed: boolean;
}

const DEAD_COLUMNS = `case when d.state = 'sent' then d.id end as "unconfirmedPartId",
  d.message_id as "messageId", d.conversation_id as "conversationId", d.channel,
  d.chat, is_reply_passed(d.conversation_id, d.turn_id) as "isPassed"`;

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
      `select ${DEAD_COLUMNS} from delivery d
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
      `select ${DEAD_COLUMNS} from delivery d
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
