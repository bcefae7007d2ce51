import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { Silence } from './schedule';

/** Begins the external id of a reminder; the number of the last line before the silence follows. */
const REMINDER = 'reminder:';

/** How long a candidate has been silent, and what bears on a reminder. */
export interface SilenceRow extends Silence {
  /** The database's time. */
  readonly now: Date;
  /** The number of the last line before the silence. */
  readonly afterSeq: number;
  /** Something of the candidate still waits for its reply, or for a person. */
  readonly isReplyOwed: boolean;
  readonly hasObjected: boolean;
  /** Null: it is not known. */
  readonly timeZone: string | null;
}

/** Reads silences. Reminders are counted by their stored messages; there is no other counter. */
@Injectable()
export class SilenceRepository {
  constructor(private readonly clock: Clock) {}

  /** The caller holds the conversation's lock. Null: nothing has been said yet. */
  async find(tx: Tx, conversationId: string): Promise<SilenceRow | null> {
    const [row] = await tx.query<SilenceRow>(
      `with spoken as (
         select m.seq, m.received_at from message m
         where m.conversation_id = $1 and m.role in ('user', 'assistant')
         order by m.seq desc limit 1
       ), reminder as (
         select count(*)::int as count, max(m.received_at) as last_at from message m
         where m.conversation_id = $1 and m.channel = 'code'
           and starts_with(m.external_id, $3) and m.seq > (select seq from spoken)
       ), last_turn as (
         select t.state from turn t where t.conversation_id = $1 order by t.id desc limit 1
       )
       select coalesce($2::timestamptz, clock_timestamp()) as now, spoken.seq as "afterSeq",
         spoken.received_at as since, reminder.count as sent, reminder.last_at as "lastSentAt",
         c.time_zone as "timeZone", c.automated_processing_objected_at is not null as "hasObjected",
         exists (select from message m where m.conversation_id = $1 and m.role = 'user'
           and m.answer_id is not null and m.cleared_at is null)
         or exists (select from last_turn where state not in ('delivered', 'merged')) as "isReplyOwed"
       from conversation c cross join spoken cross join reminder
       where c.id = $1`,
      [conversationId, this.clock.databaseNow(), REMINDER],
    );
    return row ?? null;
  }

  /** When what a candidate comes back by ends: a read of sessions and invitations in one statement. */
  async findEnds(
    tx: Tx,
    conversationId: string,
    { idleMs, lifetimeMs }: { readonly idleMs: number; readonly lifetimeMs: number },
  ): Promise<EndsRow> {
    const [row] = await tx.query<EndsRow>(
      `select coalesce($2::timestamptz, clock_timestamp()) as now, c.time_zone as "timeZone",
         c.automated_processing_objected_at is not null as "hasObjected",
         (select max(least(s.seen_at + $3 * interval '1 millisecond',
             s.created_at + $4 * interval '1 millisecond'))
           from web_session s where s.conversation_id = c.id and c.channel = 'web')
           as "sessionEndsAt",
         (select max(i.expires_at) from invitation i where i.candidate_id = c.candidate_id
             and i.vacancy_id = c.vacancy_id and i.revoked_at is null) as "invitationEndsAt"
       from conversation c where c.id = $1`,
      [conversationId, this.clock.databaseNow(), idleMs, lifetimeMs],
    );
    if (row === undefined) throw new Error('the conversation is gone');
    return row;
  }

  /** Null: this message is no reminder. The caller holds the conversation's lock. */
  async findReminder(tx: Tx, messageId: string): Promise<StoredReminder | null> {
    const [row] = await tx.query<StoredReminder>(
      `select coalesce($2::timestamptz, clock_timestamp()) as now, c.time_zone as "timeZone",
         c.plan ->> 'timeZone' as "planTimeZone",
         c.status <> 'active' or c.owner <> 'model' or exists (
           select from message l where l.conversation_id = m.conversation_id and l.seq > m.seq
         ) as "isOutdated"
       from message m join conversation c on c.id = m.conversation_id
       where m.id = $1 and m.channel = 'code' and starts_with(m.external_id, $3)`,
      [messageId, this.clock.databaseNow(), REMINDER],
    );
    return row ?? null;
  }
}

/** What bears on a candidate who goes on later. */
export interface EndsRow {
  /** The database's time. */
  readonly now: Date;
  readonly timeZone: string | null;
  readonly hasObjected: boolean;
  /** Of the browser that is signed out last; null: the candidate writes elsewhere. */
  readonly sessionEndsAt: Date | null;
  readonly invitationEndsAt: Date | null;
}

/** A reminder that is stored and not sent yet. */
export interface StoredReminder {
  /** The database's time. */
  readonly now: Date;
  readonly timeZone: string | null;
  readonly planTimeZone: string | null;
  /** Something was said after it, or the model leads the interview no more. */
  readonly isOutdated: boolean;
}

/** Of the reminder after `sent` others: the same one is stored once. */
export function reminderId({ afterSeq, sent }: Pick<SilenceRow, 'afterSeq' | 'sent'>): string {
  return `${REMINDER}${String(afterSeq)}:${String(sent + 1)}`;
}
