import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import type { InterviewPlan, Language } from '../vacancies';
import type { ConversationOwner } from './conversation.repository';
import { textIn } from './plan/plan-texts';
import { readState, waitingQuestion } from './plan/state';
import type { ConversationStatus } from './plan/verdicts';

/** Whose interview it is and where it stands, in a few words. */
export interface InterviewBrief {
  readonly conversationId: string;
  /** Null: the candidate has given no name. */
  readonly candidate: string | null;
  readonly vacancyId: string;
  /** The slug. */
  readonly vacancy: string;
  readonly vacancyTitle: string;
  readonly language: Language;
  /** Where the candidate wrote last. */
  readonly channel: string;
  readonly status: ConversationStatus;
  readonly owner: ConversationOwner;
  /** The question of the plan that waits for an answer, also while the interview pauses; null: none. */
  readonly openQuestion: string | null;
}

interface Row extends Omit<InterviewBrief, 'openQuestion'> {
  readonly plan: InterviewPlan;
  readonly state: unknown;
}

const BRIEFS = `
select c.id as "conversationId", p.name as candidate, c.vacancy_id as "vacancyId", v.slug as vacancy,
  v.title as "vacancyTitle", c.language, c.channel, c.status, c.owner, c.plan, c.state
from conversation c
  join vacancy v on v.id = c.vacancy_id
  join candidate p on p.id = c.candidate_id
where c.id = any ($1::uuid[])`;

const SAID_BEFORE = `
select a.n::int as n, m.text
from unnest($1::uuid[], $2::timestamptz[]) with ordinality as a (conversation_id, before, n)
  cross join lateral (
    select text from message
    where conversation_id = a.conversation_id and role = 'user' and received_at <= a.before
    order by seq desc limit 1) m`;

/** Reads many interviews at once, for lists of what is to be done with them. Writes nothing. */
@Injectable()
export class InterviewBriefRepository {
  /** By the id of the conversation; unknown ones are left out. */
  async list(
    tx: Tx,
    conversationIds: readonly string[],
  ): Promise<ReadonlyMap<string, InterviewBrief>> {
    if (conversationIds.length === 0) return new Map();
    const rows = await tx.query<Row>(BRIEFS, [conversationIds]);
    return new Map(rows.map((row) => [row.conversationId, briefOf(row)]));
  }

  /** What each candidate said last before a moment; in the order of `of`, null: nothing. */
  async saidBefore(
    tx: Tx,
    of: readonly { readonly conversationId: string; readonly before: Date }[],
  ): Promise<(string | null)[]> {
    if (of.length === 0) return [];
    const rows = await tx.query<{ n: number; text: string }>(SAID_BEFORE, [
      of.map(({ conversationId }) => conversationId),
      of.map(({ before }) => before),
    ]);
    const texts = new Map(rows.map(({ n, text }) => [n, text]));
    return of.map((_, index) => texts.get(index + 1) ?? null);
  }
}

function briefOf({ plan, state, ...row }: Row): InterviewBrief {
  const question = waitingQuestion(plan, readState(state));
  return { ...row, openQuestion: question === undefined ? null : textIn(question, row.language) };
}
