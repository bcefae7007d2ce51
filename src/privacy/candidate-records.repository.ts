import { Injectable } from '@nestjs/common';
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
    const conditions: string[] = [];
    const add = (condition: (place: string) => string, value: unknown): void => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(condition(`$${String(values.length)}`));
    };
    add((at) => `c.id < ${at}`, before);
    add((at) => onlyWithin(at), vacancyIds);
    add((at) => `c.id = ${at}`, id);
    const namedId = text !== undefined && isUuid(text) ? text : null;
    const named = text === undefined ? undefined : [text, wordPrefixes(text), namedId];
    add((at) => `c.id in (${namedBy(`(${at}::text[])`)})`, named);
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    return tx.query(
      `with page as materialized (
         select c.id from candidate c ${where} order by c.id desc limit $1)
       select c.id, c.name, c.contact, c.created_at as "createdAt", h.placed_at as "heldSince",
         array(select i.external_id from invitation i
           where i.candidate_id = c.id and i.external_id is not null
           group by i.external_id order by max(i.created_at) desc) as "externalIds",
         coalesce((select jsonb_agg(jsonb_build_object('id', v.id, 'vacancy', s.slug) order by v.id desc)
           from conversation v join vacancy s on s.id = v.vacancy_id
           where v.candidate_id = c.id), '[]') as interviews
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

/** A condition in SQL: no other vacancy knows the candidate `c`. */
function onlyWithin(vacancyIds: string): string {
  return `(select coalesce(bool_and(known.vacancy_id = any(${vacancyIds}::uuid[])), false) from (
    select vacancy_id from conversation where candidate_id = c.id
    union all select vacancy_id from invitation where candidate_id = c.id) known)`;
}

/** The candidates of an external id, with words of a name, or with the id: the three texts of an array. */
function namedBy(texts: string): string {
  return `
    select candidate_id from invitation where external_id = ${texts}[1]
    union select id from candidate
    where to_tsvector('simple', translate(coalesce(name, ''), 'ёЁ', 'еЕ')) @@ to_tsquery('simple', ${texts}[2])
    union select ${texts}[3]::uuid`;
}

const COUNT = `
with interviews as (select id from conversation where candidate_id = $1),
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
  (select count(*)::int from decision where candidate_id = $1) as decisions`;
