import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { COLUMNS, IS_AT, type ListedInterview, OTHERS } from './interview-list.repository';

/** The interviews that wait for a person: a read model over the tables of several rooms. Writes nothing. */
@Injectable()
export class WaitingListRepository {
  /** The one that waits longest first, and how many there are. `vacancyIds` null: of all vacancies. */
  async list(
    tx: Tx,
    {
      vacancyIds,
      limit,
    }: { readonly vacancyIds: readonly string[] | null; readonly limit: number },
  ): Promise<{ readonly rows: ListedInterview[]; readonly count: number }> {
    const rows = await tx.query<ListedInterview & { readonly count: number }>(
      `${WAITING},
       page as materialized (
         select w.id, w.since, (count(*) over ())::int as count
         from waiting w join conversation c on c.id = w.id
         where $1::uuid[] is null or c.vacancy_id = any($1::uuid[])
         order by w.since, w.id limit $2)
       select ${COLUMNS}, page.count from page join conversation c on c.id = page.id ${OTHERS}
       order by page.since, page.id`,
      [vacancyIds, limit],
    );
    return { rows, count: rows[0]?.count ?? 0 };
  }
}

/** Interviews with an open attention item, and those that a person has; since when they wait. */
const WAITING = `
with item as (
  select conversation_id as id, min(created_at) as since from attention
  where closed_at is null and conversation_id is not null group by conversation_id),
waiting as (
  select id, since from item
  union all
  select c.id, c.updated_at from conversation c
  where ${IS_AT.needs_person} and not c.is_preview
    and not exists (select from item where item.id = c.id))`;
