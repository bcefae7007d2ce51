import { Injectable } from '@nestjs/common';
import { withNameSql } from '../candidates';
import { Clock } from '../common/clock';
import { isUuid } from '../common/ids';
import { wordPrefixes } from '../common/text';
import type { Tx } from '../common/uow';
import type { CallersFields } from '../vacancies';

/**
 * What has become of an invitation, as programs list it:
 *
 *   invited   the link was not opened yet
 *   opened    its candidate has an interview for the vacancy
 *   expired   its date is over, and the link was never opened
 *   revoked   it was revoked, or issued again
 */
export const INVITATION_STATES = ['invited', 'opened', 'expired', 'revoked'] as const;

type InvitationState = (typeof INVITATION_STATES)[number];

/**
 * How far the interview of an invitation is:
 *
 *   opened   the link was opened, and the candidate has not agreed and said who they are yet
 *   begun    questions are asked and answered, also while a person has it
 *   ended    it is through, was left or declined, or its candidate was silent for too long
 */
export const INTERVIEW_STATES = ['opened', 'begun', 'ended'] as const;

export interface ListedInvitation extends CallersFields {
  readonly id: string;
  readonly state: InvitationState;
  readonly vacancyId: string;
  /** The slug. */
  readonly vacancy: string;
  readonly candidateId: string;
  readonly name: string | null;
  readonly contact: string | null;
  /** Null: there is none. */
  readonly interviewId: string | null;
  /** Of its interview; null: there is none. */
  readonly interviewState: (typeof INTERVIEW_STATES)[number] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** No later one was issued to the candidate for the vacancy. */
  readonly isLast: boolean;
}

/** Which invitations are meant; what is left out does not matter. */
export interface InvitationFilter {
  /** Null: of all vacancies. */
  readonly vacancyIds: readonly string[] | null;
  readonly state?: InvitationState | undefined;
  /** Words that names begin with, or an external id. */
  readonly text?: string | undefined;
}

/** `$1` in the statements is the time of tests, null in production. */
const NOW = 'coalesce($1::timestamptz, now())';
const INTERVIEW = `
select c.id from conversation c
where c.candidate_id = i.candidate_id and c.vacancy_id = i.vacancy_id order by c.id limit 1`;

/** As the indexes invitation_result and invitation_vacancy_result have it. */
const RESULT = `(case
  when i.revoked_at is not null then 'revoked' when i.is_opened then 'opened' else 'unopened' end)`;

const IS_IN: Readonly<Record<InvitationState, string>> = {
  // In the words of the index invitation_unopened, too: most of those that are unopened may have expired.
  invited: `${RESULT} = 'unopened' and i.revoked_at is null and not i.is_opened and i.expires_at > ${NOW}`,
  opened: `${RESULT} = 'opened'`,
  expired: `${RESULT} = 'unopened' and i.expires_at <= ${NOW}`,
  revoked: `${RESULT} = 'revoked'`,
};

const SELECT = `
select i.id, i.vacancy_id as "vacancyId", v.slug as vacancy, i.candidate_id as "candidateId", p.name,
  p.contact,
  i.external_id as "externalId", i.metadata, i.created_at as "createdAt", i.expires_at as "expiresAt",
  o.id as "interviewId",
  case when s.status is null then null when s.status = 'new' then 'opened'
    when s.status in ('active', 'handed_over') then 'begun' else 'ended' end as "interviewState",
  case when i.revoked_at is not null then 'revoked' when i.is_opened then 'opened'
    when i.expires_at <= ${NOW} then 'expired' else 'invited' end as state,
  not exists (select from invitation later where later.candidate_id = i.candidate_id
    and later.vacancy_id = i.vacancy_id and later.id > i.id) as "isLast"
from invitation i join vacancy v on v.id = i.vacancy_id join candidate p on p.id = i.candidate_id
  left join lateral (${INTERVIEW}) o on true left join conversation s on s.id = o.id`;

/** Invitations as programs list them: a read model over the tables of several rooms. Writes nothing. */
@Injectable()
export class InvitationListRepository {
  constructor(private readonly clock: Clock) {}

  /** The newest first; `before`: those that are older than this one. */
  list(
    tx: Tx,
    { vacancyIds, state, text }: InvitationFilter,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<ListedInvitation[]> {
    const values: unknown[] = [this.clock.databaseNow(), limit];
    const conditions: string[] = [];
    const add = (condition: (place: string) => string, value: unknown): void => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    // One vacancy, so that an index gives its invitations in their order.
    const [only, ...more] = vacancyIds ?? [];
    if (only !== undefined && more.length === 0) add((at) => `i.vacancy_id = ${at}`, only);
    else add((at) => `i.vacancy_id = any(${at}::uuid[])`, vacancyIds);
    add((at) => `i.id < ${at}`, before);
    const named = text === undefined ? undefined : [text, wordPrefixes(text)];
    add((at) => `(${soughtBy(`(${at}::text[])`)})`, named);
    if (state !== undefined) conditions.push(IS_IN[state]);
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    return tx.query<ListedInvitation>(`${SELECT} ${where} order by i.id desc limit $2`, values);
  }

  /** The last invitation of an interview's candidate to its vacancy. */
  async findOfInterview(tx: Tx, interviewId: string): Promise<ListedInvitation | undefined> {
    const [row] = await tx.query<ListedInvitation>(
      `${SELECT} where (i.candidate_id, i.vacancy_id) = (
         select c.candidate_id, c.vacancy_id from conversation c where c.id = $2)
       order by i.created_at desc, i.id desc limit 1`,
      [this.clock.databaseNow(), interviewId],
    );
    return row;
  }

  /** `id` need not be a UUID. */
  async find(tx: Tx, id: string): Promise<ListedInvitation | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await tx.query<ListedInvitation>(`${SELECT} where i.id = $2`, [
      this.clock.databaseNow(),
      id,
    ]);
    return row;
  }
}

/** Invitations of an external id, or of candidates with words of a name: the two texts of an array. */
function soughtBy(texts: string): string {
  return `i.id in (
    select id from invitation where external_id = ${texts}[1]
    union select n.id from invitation n where n.candidate_id in (${withNameSql(`${texts}[2]`)}))`;
}
