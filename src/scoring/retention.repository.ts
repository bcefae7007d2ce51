import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DomainEventHandler, type PayloadOf, type ResultOf } from '../common/events';
import type { Tx } from '../common/uow';

/** A condition in SQL: retention must leave the candidate `c` alone. */
const IS_HELD = 'exists (select from legal_hold h where h.candidate_id = c.id)';

/** `now()` and not `clock_timestamp()`, with which no index could be used. $1: now, $2: the days. */
const BEFORE = `coalesce($1::timestamptz, now()) - $2::float8 * interval '24 hours'`;

/** Scorings that have ended, and what people rated and commented. Their ids are UUIDs, so they cannot collide. */
const DUE_SCORES = `select r.id, coalesce(r.ended_at, r.started_at) as at
  from score_run r
  join conversation v on v.id = r.conversation_id
  join candidate c on c.id = v.candidate_id
  where coalesce(r.ended_at, r.started_at) < ${BEFORE} and r.state <> 'running' and not ${IS_HELD}
  union all
  select i.id, max(p.rated_at) as at
  from rating_item i
  join person_rating p on p.item_id = i.id
  join conversation v on v.id = i.conversation_id
  join candidate c on c.id = v.candidate_id
  where not ${IS_HELD}
  group by i.id having max(p.rated_at) < ${BEFORE}
  union all
  select m.id, coalesce(m.edited_at, m.created_at) as at
  from interview_comment m
  join conversation v on v.id = m.conversation_id
  join candidate c on c.id = v.candidate_id
  where coalesce(m.edited_at, m.created_at) < ${BEFORE} and not ${IS_HELD}`;

const DUE_DECISIONS = `select d.id, d.decided_at as at
  from decision d join candidate c on c.id = d.candidate_id
  where d.decided_at < ${BEFORE} and not ${IS_HELD}`;

const DUE = new Map([
  ['scores', DUE_SCORES],
  ['decisions', DUE_DECISIONS],
]);

/** How the oldest of a class are deleted, while the candidate stays. $3: how many at most. */
const DROP = new Map([
  [
    'scores',
    `with due as (select * from (${DUE_SCORES}) found order by at, id limit $3),
      runs as (delete from score_run where id in (select id from due)),
      ratings as (delete from rating_item where id in (select id from due)),
      comments as (delete from interview_comment where id in (select id from due))
      select id from due`,
  ],
  [
    'decisions',
    `delete from decision where id in (
        select id from (${DUE_DECISIONS}) found order by at, id limit $3)
      returning id`,
  ],
]);

/** Deletes scorings with ratings and comments, and decisions, by their age, also while SCORING is off. */
@Injectable()
export class RecordRetentionRepository {
  constructor(private readonly clock: Clock) {}

  @DomainEventHandler('retention.due')
  async onDue(
    tx: Tx,
    { class: due, keptDays, limit }: PayloadOf<'retention.due'>,
  ): Promise<ResultOf<'retention.due'>> {
    const [counted, dropped] = [DUE.get(due), DROP.get(due)];
    const none = { count: 0, oldestAt: null };
    if (counted === undefined || dropped === undefined) return none;
    const of = [this.clock.databaseNow(), keptDays];
    if (limit !== null) return { ...none, count: (await tx.query(dropped, [...of, limit])).length };
    const [row] = await tx.query<{ count: number; oldestAt: Date | null }>(
      `select count(*)::int as count, min(at) as "oldestAt" from (${counted}) counted`,
      of,
    );
    return row ?? none;
  }
}
