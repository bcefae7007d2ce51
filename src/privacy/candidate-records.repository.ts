import { Injectable } from '@nestjs/common';
import { knownToNoneButSql, soughtSql } from '../candidates';
import { isUuid } from '../common/ids';
import { wordPrefixes } from '../common/text';
import type { Tx } from '../common/uow';

/** Somebody about whom something is stored. */
export interface ListedCandidate {
  readonly id: string;
  readonly name: string | null;
  readonly contact: string | null;
  readonly createdAt: Date;
  /** Of invitations, the newest first. */
  readonly externalIds: readonly string[];
  /** The newest first. */
  readonly interviews: readonly { readonly id: string; readonly vacancy: string }[];
  /** Null: retention is not held back. */
  readonly heldSince: Date | null;
}

/** How much is stored about somebody, as an erasure would delete it. */
export interface CandidateRecords {
  readonly interviews: number;
  /** Lines of transcripts. */
  readonly messages: number;
  readonly recordings: number;
  readonly files: number;
  readonly invitations: number;
  readonly scorings: number;
  readonly ratings: number;
  readonly decisions: number;
  /** Of colleagues on the interviews. */
  readonly comments: number;
}

/** Which candidates are meant. */
export interface CandidateFilter {
  /** Only those whom no other vacancy knows; null: all. */
  readonly vacancyIds: readonly string[] | null;
  readonly id?: string | undefined;
  /** Words that names begin with, an external id, or an id. */
  readonly text?: string | undefined;
}

/**
 * Candidates as people look for them who export and erase: a read model over the tables of several rooms. Writes
 * nothing.
 */
@Injectable()
export class CandidateRecordsRepository {
  /** The newest first; `before`: those that are older than this one. */
  list(
    tx: Tx,
    { vacancyIds, id, text }: CandidateFilter,
    { before, limit }: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<ListedCandidate[]> {
    const values: unknown[] = [limit];
    const conditions = [`not ${IS_OF_PREVIEW}`];
    const add = (condition: (place: string) => string, value: unknown): void => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    add((at) => `c.id < ${at}`, before);
    add((at) => knownToNoneButSql('c.id', at), vacancyIds);
    add((at) => `c.id = ${at}`, id);
    const namedId = text !== undefined && isUuid(text) ? text : null;
    const sought = text === undefined ? undefined : [text, wordPrefixes(text), namedId];
    add(
      (at) => `c.id in (${soughtSql(`(${at}::text[])`)} union select (${at}::text[])[3]::uuid)`,
      sought,
    );
    const where = conditions.join(' and ');
    return tx.query(
      `with page as materialized (
         select c.id from candidate c where ${where} order by c.id desc limit $1)
       select c.id, c.name, c.contact, c.created_at as "createdAt", h.placed_at as "heldSince",
         array(select i.external_id from invitation i
           where i.candidate_id = c.id and i.external_id is not null
           group by i.external_id order by max(i.created_at) desc) as "externalIds",
         coalesce((select jsonb_agg(jsonb_build_object('id', v.id, 'vacancy', s.slug) order by v.id desc)
           from conversation v join vacancy s on s.id = v.vacancy_id
           where v.candidate_id = c.id and not v.is_preview), '[]') as interviews
       from page join candidate c on c.id = page.id
       left join legal_hold h on h.candidate_id = c.id
       order by c.id desc`,
      values,
    );
  }

  async count(tx: Tx, candidateId: string): Promise<CandidateRecords> {
    const [row] = await tx.query<CandidateRecords>(COUNT, [candidateId]);
    if (row === undefined) throw new Error('a count has no row');
    return row;
  }
}

/** The candidate `c` is a colleague who looks at the page as one. */
const IS_OF_PREVIEW = `(
  exists (select from conversation where candidate_id = c.id and is_preview)
  and not exists (select from conversation where candidate_id = c.id and not is_preview))`;

const COUNT = `
with interviews as (select id from conversation where candidate_id = $1 and not is_preview),
  messages as (select id from message where conversation_id in (select id from interviews))
select (select count(*)::int from interviews) as interviews,
  (select count(*)::int from messages) as messages,
  (select count(*)::int from voice where message_id in (select id from messages)) as recordings,
  (select count(*)::int from file where message_id in (select id from messages)) as files,
  (select count(*)::int from invitation where candidate_id = $1) as invitations,
  (select count(*)::int from score_run
    where conversation_id in (select id from interviews)) as scorings,
  (select count(*)::int from person_rating p join rating_item i on i.id = p.item_id
    where i.conversation_id in (select id from interviews)) as ratings,
  (select count(*)::int from decision where candidate_id = $1) as decisions,
  (select count(*)::int from interview_comment
    where conversation_id in (select id from interviews)) as comments`;
