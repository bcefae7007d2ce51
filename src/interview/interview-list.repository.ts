import { Injectable } from '@nestjs/common';
import { soughtSql } from '../candidates';
import { firstIdAt } from '../common/ids';
import { wordPrefixes } from '../common/text';
import type { AttentionKind } from '../common/events';
import type { Tx } from '../common/uow';
import type { CallersFields, InterviewPlan, Language } from '../vacancies';

/**
 * How far an interview is, as programs list it; each has exactly one of them:
 *
 *   opened          the link was opened, and the candidate has not agreed and said who they are yet
 *   started         it waits for the candidate
 *   waiting_for_us  an answer waits for its reply
 *   needs_person    a person has it, or is waited for
 *   finished        every question is through; also while it is being scored
 *   scored          the same, with a scoring
 *   decided         the same, with a recorded decision
 *   withdrawn       the candidate has withdrawn, or declined the disclosure
 *   expired         the candidate was silent for too long
 *
 * Before that there is an invitation and no interview.
 */
export const INTERVIEW_STAGES = [
  'opened',
  'started',
  'waiting_for_us',
  'needs_person',
  'finished',
  'scored',
  'decided',
  'withdrawn',
  'expired',
] as const;

type InterviewStage = (typeof INTERVIEW_STAGES)[number];

/** Which interviews are meant; what is left out does not matter. */
export interface InterviewFilter {
  /** Null: of all vacancies. */
  readonly vacancyIds: readonly string[] | null;
  readonly stage?: InterviewStage | undefined;
  /** Opened from this time on, and before that one. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Words that names begin with, or an external id. */
  readonly text?: string | undefined;
  /** Of these conversations only. */
  readonly ids?: readonly string[] | undefined;
}

export interface ListedInterview extends CallersFields {
  readonly id: string;
  readonly stage: InterviewStage;
  readonly vacancyId: string;
  /** The slug. */
  readonly vacancy: string;
  readonly candidateId: string;
  readonly name: string | null;
  readonly contact: string | null;
  readonly language: Language;
  readonly channel: string;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** When the candidate last wrote, or had the page open; null: never. */
  readonly seenAt: Date | null;
  /** What waits for a person: the oldest open attention item about it; null: none. */
  readonly itemId: string | null;
  readonly itemKind: AttentionKind | null;
  readonly itemSince: Date | null;
  readonly plan: InterviewPlan;
  /** As `readState` takes it. */
  readonly state: unknown;
}

/** How many interviews a vacancy has, without previews. */
interface InterviewCounts {
  /** Under way with the interviewer. */
  readonly running: number;
  /** A person has them, or is waited for. */
  readonly waiting: number;
  /** Every question is through. */
  readonly finished: number;
}

const WAITS_FOR_US = `exists (select from live_job j where j.queue = 'flush' and j.key = c.id::text)`;

/** As the indexes conversation_result and conversation_vacancy_result have it. */
const RESULT = `(case
  when c.status in ('withdrawn', 'declined') then 'withdrawn'
  when c.status <> 'completed' then c.status
  when c.is_decided then 'decided' when c.is_scored then 'scored' else 'finished' end)`;

const STAGE = `
case
  when c.status in ('completed', 'withdrawn', 'declined', 'expired') then ${RESULT}
  when c.status = 'handed_over' or c.owner <> 'model' then 'needs_person'
  when c.status = 'new' then 'opened'
  when ${WAITS_FOR_US} then 'waiting_for_us'
  else 'started'
end`;

/** Each begins with what an index finds: the result, or the rows of the few that are meant. */
export const IS_AT: Readonly<Record<InterviewStage, string>> = {
  opened: `${RESULT} = 'new' and c.owner = 'model'`,
  started: `${RESULT} = 'active' and c.owner = 'model' and not ${WAITS_FOR_US}`,
  waiting_for_us: `c.status = 'active' and c.owner = 'model' and c.id in
    (select key::uuid from live_job where queue = 'flush')`,
  needs_person: `(${RESULT} = 'handed_over' or c.status in ('new', 'active') and c.owner <> 'model')`,
  finished: `${RESULT} = 'finished'`,
  scored: `${RESULT} = 'scored'`,
  decided: `${RESULT} = 'decided'`,
  withdrawn: `${RESULT} = 'withdrawn'`,
  expired: `${RESULT} = 'expired'`,
};

export const COLUMNS = `c.id, ${STAGE} as stage, c.vacancy_id as "vacancyId", v.slug as vacancy,
  c.candidate_id as "candidateId", p.name, p.contact, c.language, c.channel,
  c.created_at as "openedAt", c.updated_at as "updatedAt", c.plan, c.state,
  i.external_id as "externalId", coalesce(i.metadata, '{}') as metadata,
  greatest(said.received_at, here.seen_at) as "seenAt",
  item.id as "itemId", item.kind as "itemKind", item.created_at as "itemSince"`;

export const OTHERS = `
join vacancy v on v.id = c.vacancy_id
join candidate p on p.id = c.candidate_id
left join lateral (
  select external_id, metadata from invitation
  where candidate_id = c.candidate_id and vacancy_id = c.vacancy_id
  order by created_at desc, id desc limit 1) i on true
left join lateral (
  select received_at from message where conversation_id = c.id and role = 'user'
  order by seq desc limit 1) said on true
left join lateral (
  select max(seen_at) as seen_at from web_session where conversation_id = c.id) here on true
left join lateral (
  select id, kind, created_at from attention where conversation_id = c.id and closed_at is null
  order by id limit 1) item on true`;

/**
 * The first part is counted in an index alone (conversation_vacancy_status), so it reads no interview. The few that a
 * person has, and previews, have indexes of their own; they are moved and taken out afterwards.
 */
const COUNT = `
select "vacancyId", coalesce(sum(n) filter (where at = 'active'), 0)::int as running,
  coalesce(sum(n) filter (where at = 'handed_over'), 0)::int as waiting,
  coalesce(sum(n) filter (where at = 'completed'), 0)::int as finished
from (
  select vacancy_id as "vacancyId", status as at, count(*) as n from conversation
  where status in ('active', 'handed_over', 'completed') group by vacancy_id, status
  union all
  select vacancy_id, status, -count(*) from conversation where is_preview
  group by vacancy_id, status
  union all
  select c.vacancy_id, moved.at, moved.n from conversation c cross join lateral (values
    ('active', case when c.status = 'active' then -1 else 0 end), ('handed_over', 1)) moved (at, n)
  where c.owner <> 'model' and c.status in ('new', 'active') and not c.is_preview
) counted
where $1::uuid[] is null or "vacancyId" = any($1::uuid[])
group by "vacancyId"`;

/** Interviews as programs list them: a read model over the tables of several rooms. Writes nothing. */
@Injectable()
export class InterviewListRepository {
  /**
   * The newest first; `before`: those that are older than this one. The page is found by an index before
   * anything else is read, and a later page costs as much as the first one. The statement has only the
   * conditions that are asked for.
   */
  list(
    tx: Tx,
    filter: InterviewFilter,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<ListedInterview[]> {
    const values: unknown[] = [limit];
    const conditions = ['not c.is_preview'];
    const add = (condition: (place: string) => string, value: unknown): void => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    const { vacancyIds, stage, since, until, text, ids } = filter;
    // One vacancy, so that an index gives its interviews in their order.
    const [only, ...more] = vacancyIds ?? [];
    if (only !== undefined && more.length === 0) add((at) => `c.vacancy_id = ${at}`, only);
    else add((at) => `c.vacancy_id = any(${at}::uuid[])`, vacancyIds);
    add((at) => `c.id < ${at}`, before);
    add((at) => `c.id = any(${at}::uuid[])`, ids);
    // An id begins with its time.
    add((at) => `c.id >= ${at}`, since && firstIdAt(since));
    add((at) => `c.id < ${at}`, until && firstIdAt(until));
    const named = text === undefined ? undefined : [text, wordPrefixes(text)];
    add((at) => `c.candidate_id in (${soughtSql(`(${at}::text[])`)})`, named);
    if (stage !== undefined) conditions.push(IS_AT[stage]);
    return tx.query<ListedInterview>(
      `with page as materialized (
         select c.id from conversation c where ${conditions.join('\n  and ')}
         order by c.id desc limit $1)
       select ${COLUMNS} from page join conversation c on c.id = page.id ${OTHERS}
       order by c.id desc`,
      values,
    );
  }

  /** `id`: of a conversation. Undefined also for a preview. */
  async find(tx: Tx, id: string): Promise<ListedInterview | undefined> {
    const [row] = await tx.query<ListedInterview>(
      `select ${COLUMNS} from conversation c ${OTHERS} where c.id = $1 and not c.is_preview`,
      [id],
    );
    return row;
  }

  /** How far an interview is; undefined: there is none. `id`: of a conversation that is no preview. */
  async findStage(tx: Tx, id: string): Promise<InterviewStage | undefined> {
    const [row] = await tx.query<{ stage: InterviewStage }>(
      `select ${STAGE} as stage from conversation c where c.id = $1 and not c.is_preview`,
      [id],
    );
    return row?.stage;
  }

  /** By vacancy; null: of all. A vacancy without any has no entry. */
  async countByVacancy(
    tx: Tx,
    vacancyIds: readonly string[] | null,
  ): Promise<ReadonlyMap<string, InterviewCounts>> {
    const rows = await tx.query<InterviewCounts & { vacancyId: string }>(COUNT, [vacancyIds]);
    return new Map(rows.map(({ vacancyId, ...counts }) => [vacancyId, counts]));
  }
}
