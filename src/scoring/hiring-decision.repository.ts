import { Injectable } from '@nestjs/common';
import { knownToNoneButSql } from '../candidates';
import { Clock } from '../common/clock';
import type { DecisionFilter, ListedDecision } from '../common/events';
import type { Tx } from '../common/uow';
import type { NoticeCode } from '../vacancies';
import type { ChainLink } from './decision-file';

/** Decisions, and the chain of decision files, which holds only hashes. */
@Injectable()
export class HiringDecisionRepository {
  constructor(private readonly clock: Clock) {}

  /** The id of the decision; null: there is no such candidate. */
  async add(
    tx: Tx,
    { candidateId, by, userId = null, reason, isAdverse }: NewHiringDecision,
  ): Promise<string | null> {
    const [row] = await tx.query<{ id: string }>(
      `insert into decision (candidate_id, decided_by, reason, decided_at, is_adverse, user_id)
       select c.candidate_id, $2, $3, ${NOW(4)}, $5, $6::uuid
       from (select candidate_id from conversation where candidate_id = $1 limit 1) c
       returning id::text`,
      [candidateId, by, reason, this.clock.databaseNow(), isAdverse, userId],
    );
    return row?.id ?? null;
  }

  /**
   * Whether a person has decided about the candidate since this interview. A decision that is older than
   * an answer to one of its questions is about an earlier interview.
   */
  async isDecided(tx: Tx, conversationId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from conversation c join decision d on d.candidate_id = c.candidate_id
       where c.id = $1 and not exists (
         select 1 from message m
         where m.conversation_id = c.id and m.role = 'user' and m.question_context is not null
           and m.amends is null and m.received_at > d.decided_at)
       limit 1`,
      [conversationId],
    );
    return rows.length > 0;
  }

  /** Oldest first. */
  list(tx: Tx, candidateId: string): Promise<HiringDecision[]> {
    return tx.query(`select ${COLUMNS} from decision where candidate_id = $1 order by id`, [
      candidateId,
    ]);
  }

  /**
   * Notes who wrote the letter about the candidate's adverse decisions, where it was not written before.
   * Returns the ids of all of them.
   */
  async noteLetter(tx: Tx, candidateId: string, by: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `update decision set letter_by = coalesce(letter_by, $2), letter_at = coalesce(letter_at, ${NOW(3)})
       where candidate_id = $1 and is_adverse returning id`,
      [candidateId, by, this.clock.databaseNow()],
    );
    return rows.map(({ id }) => id);
  }

  /** Decisions without a letter after so many days, at most 200; each is returned once in its life. */
  takeWithoutLetter(
    tx: Tx,
    { codes, days }: { codes: readonly NoticeCode[]; days: number },
  ): Promise<MissingLetter[]> {
    return tx.query(TAKE_WITHOUT_LETTER, [this.clock.databaseNow(), days, codes]);
  }

  /** The newest first, at most `limit`; null: of all candidates. */
  newest(
    tx: Tx,
    candidateId: string | null,
    limit: number,
  ): Promise<(HiringDecision & { readonly candidateId: string })[]> {
    return tx.query(
      `select candidate_id as "candidateId", ${COLUMNS} from decision
       where $1::uuid is null or candidate_id = $1 order by id desc limit $2`,
      [candidateId, limit],
    );
  }

  /** The newest first. The statement has only the conditions that are asked for, so that an index serves it. */
  page(
    tx: Tx,
    { id, candidateId, before, vacancyId, vacancyIds }: DecisionFilter,
    limit: number,
  ): Promise<ListedDecision[]> {
    const conditions = [
      ['d.id = ?', id],
      ['d.candidate_id = ?', candidateId],
      ['d.id < ?', before],
      [ONLY_WITHIN, vacancyIds ?? undefined],
      [WITH_INTERVIEW_FOR, vacancyId],
    ] as const;
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.map(([condition], n) => condition.replaceAll('?', `$${String(n + 2)}`));
    return tx.query(
      `select d.id::text, d.candidate_id as "candidateId", ${COLUMNS} from decision d
       ${where.length === 0 ? '' : `where ${where.join(' and ')}`} order by d.id desc limit $1`,
      [limit, ...given.map(([, value]) => value)],
    );
  }

  /** The newest about each of these candidates; `vacancyIds` as in `page`. */
  newestOfEach(
    tx: Tx,
    candidateIds: readonly string[],
    vacancyIds: readonly string[] | null,
  ): Promise<ListedDecision[]> {
    const within = vacancyIds === null ? '' : `and ${ONLY_WITHIN.replaceAll('?', '$2')}`;
    return tx.query(
      `select distinct on (d.candidate_id) d.id::text, d.candidate_id as "candidateId", ${COLUMNS}
       from decision d where d.candidate_id = any($1::uuid[]) ${within}
       order by d.candidate_id, d.id desc`,
      [candidateIds, ...(vacancyIds === null ? [] : [vacancyIds])],
    );
  }

  /** The candidate's conversations, oldest first. */
  async conversations(tx: Tx, candidateId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'select id from conversation where candidate_id = $1 order by created_at, id',
      [candidateId],
    );
    return rows.map(({ id }) => id);
  }

  /** Until the commit no other file gets a place in the chain. */
  async lockChain(tx: Tx): Promise<void> {
    await tx.query('lock table decision_file in share row exclusive mode');
  }

  /** The file of the chain with this hash. */
  async findLink(
    tx: Tx,
    hash: string,
  ): Promise<{ readonly n: number; readonly hash: string } | null> {
    const [row] = await tx.query<{ n: number; hash: string }>(
      'select n, hash from decision_file where hash = $1',
      [hash],
    );
    return row ?? null;
  }

  /** The place of the next file in the chain. The caller holds the chain's lock. */
  async nextLink(tx: Tx): Promise<ChainLink> {
    const [last] = await tx.query<{ n: number; hash: string }>(
      'select n, hash from decision_file order by n desc limit 1',
    );
    return { n: (last?.n ?? 0) + 1, previous: last?.hash ?? null };
  }

  async addLink(tx: Tx, { n, previous }: ChainLink, hash: string): Promise<void> {
    await tx.query(
      `insert into decision_file (n, hash, previous_hash, made_at) values ($1, $2, $3, ${NOW(4)})`,
      [n, hash, previous, this.clock.databaseNow()],
    );
  }

  /** The whole chain, oldest first. */
  chain(tx: Tx): Promise<(ChainLink & { readonly hash: string })[]> {
    return tx.query('select n, hash, previous_hash as previous from decision_file order by n');
  }
}

const ONLY_WITHIN = knownToNoneButSql('d.candidate_id', '?');
const WITH_INTERVIEW_FOR = `d.candidate_id in (
  select c.candidate_id from conversation c where c.vacancy_id = ?)`;

const COLUMNS = `decided_by as "decidedBy", reason, decided_at as "decidedAt",
  is_adverse as "isAdverse", letter_by as "letterBy", letter_at as "letterAt"`;

/**
 * Adverse decisions without a letter, of candidates who agreed to a notice that asks for one. A notice that
 * their vacancy has got since counts for decisions of the last 30 days, so that it brings no items for all
 * of the past.
 */
const TAKE_WITHOUT_LETTER = `
update decision set letter_reminded_at = coalesce($1::timestamptz, clock_timestamp())
from (
  select distinct on (d.id) d.id, c.id as conversation_id
  from decision d
  join conversation c on c.candidate_id = d.candidate_id
  join vacancy v on v.id = c.vacancy_id
  where d.is_adverse and d.letter_at is null and d.letter_reminded_at is null
    and d.decided_at <= coalesce($1::timestamptz, now()) - $2 * interval '1 day'
    and c.consent_accepted
    and (exists (select 1 from unnest($3::text[]) code
           where c.consent_version like '%+' || code || '.%')
      or v.notices && $3::text[]
        and d.decided_at > coalesce($1::timestamptz, now()) - interval '30 days')
  order by d.id, c.created_at desc limit 200) due
where decision.id = due.id and decision.letter_at is null and decision.letter_reminded_at is null
returning decision.id, decision.candidate_id as "candidateId",
  due.conversation_id as "conversationId", decision.decided_at as "decidedAt"`;

const NOW = (n: number): string => `coalesce($${String(n)}::timestamptz, clock_timestamp())`;

export interface NewHiringDecision {
  readonly candidateId: string;
  /** As it is shown and stored in the file. */
  readonly by: string;
  /** Null: a name that was typed on the command line. */
  readonly userId?: string | null;
  readonly reason: string;
  readonly isAdverse: boolean;
}

/** What a person decided about a candidate. */
export interface HiringDecision {
  readonly decidedBy: string;
  readonly reason: string;
  readonly decidedAt: Date;
  /** It is against the candidate. */
  readonly isAdverse: boolean;
  /** Who first wrote the letter about it, and when; null: nobody has. */
  readonly letterBy: string | null;
  readonly letterAt: Date | null;
}

/** A decision whose letter is missing, with an interview of the candidate. */
export interface MissingLetter {
  readonly id: string;
  readonly candidateId: string;
  readonly conversationId: string;
  readonly decidedAt: Date;
}

/** The subject of the attention item about a missing letter. */
export function subjectOfLetter(decisionId: string): string {
  return `decision:${decisionId}`;
}
