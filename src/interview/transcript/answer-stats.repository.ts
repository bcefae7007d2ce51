import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../../channels';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/** How candidates answered, of all answers, of one channel, or of one hour of the day. */
export interface AnswerStats {
  /** Null: all channels. */
  readonly channel: ChannelName | null;
  /** From 0 to 23, of an answer's first message; null: the whole day. */
  readonly hour: number | null;
  readonly answers: number;
  /** From the last message of an answer to the beginning of its reply, in seconds. */
  readonly medianWaitS: number;
  readonly p90WaitS: number;
  /** Answers after whose flush the candidate went on before the reply was there. */
  readonly splits: number;
  /** The messages with which they went on. */
  readonly additions: number;
  readonly messagesPerAnswer: number;
  readonly charactersPerAnswer: number;
}

export interface AnswerFilter {
  /** Null: of all. */
  readonly vacancyId: string | null;
  /** Null: on all. A name that no channel has finds nothing. */
  readonly channel: string | null;
  readonly days: number;
  /** An IANA name that PostgreSQL knows, such as Europe/Berlin. */
  readonly timeZone: string;
}

/** Counts the stored answers: a turn and the candidate's messages of its buffer. */
@Injectable()
export class AnswerStatsRepository {
  constructor(private readonly clock: Clock) {}

  /** Throws the database's error 22023 for a name that it does not know, also when there are no answers. */
  async assertTimeZone(tx: Tx, timeZone: string): Promise<void> {
    await tx.query('select now() at time zone $1', [timeZone]);
  }

  /** All together first, then by channel, then by hour. Empty without answers. */
  list(tx: Tx, filter: AnswerFilter): Promise<AnswerStats[]> {
    return tx.query<AnswerStats>(
      `with answer as (
         select t.channel, extract(hour from min(m.received_at) at time zone $5)::int as hour,
           greatest(0, extract(epoch from t.started_at - max(m.received_at)))::float8 as wait_s,
           count(*)::int as messages, sum(length(m.text))::int as characters,
           count(*) filter (
             where m.before_reply and m.turn_id is not null and m.amends is null)::int as additions
         from turn t
         join conversation c on c.id = t.conversation_id
         join message m on m.answer_id = t.answer_id and m.role = 'user'
         where not c.is_preview and t.started_at
             > coalesce($4::timestamptz, now()) - $3::int * interval '1 day'
           and ($1::uuid is null or c.vacancy_id = $1) and ($2::text is null or t.channel = $2)
         group by t.id)
       select a.channel, a.hour, count(*)::int as answers,
         percentile_cont(0.5) within group (order by a.wait_s) as "medianWaitS",
         percentile_cont(0.9) within group (order by a.wait_s) as "p90WaitS",
         count(*) filter (where a.additions > 0)::int as splits,
         sum(a.additions)::int as additions,
         avg(a.messages)::float8 as "messagesPerAnswer",
         avg(a.characters)::float8 as "charactersPerAnswer"
       from answer a
       group by grouping sets ((), (a.channel), (a.hour))
       having count(*) > 0
       order by grouping(a.channel, a.hour) desc, a.channel, a.hour`,
      [filter.vacancyId, filter.channel, filter.days, this.clock.databaseNow(), filter.timeZone],
    );
  }
}
