import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { newId, newToken } from '../common/ids';
import type { Tx } from '../common/uow';
import {
  VacancyUnknownError,
  type InterviewPlan,
  type Language,
  type Vacancy,
  type VacancyDraft,
  type VacancyOwner,
} from './vacancy';
import { type SearchedVacancy, searchVacancies } from './vacancy-search';

/** What an import did to the vacancy's row. */
export type ImportOutcome = 'created' | 'changed' | 'unchanged';

interface Row {
  readonly id: string;
  readonly slug: string;
  readonly language: Language;
  readonly title: string;
  readonly company: string;
  readonly owner: VacancyOwner;
  readonly plan: InterviewPlan;
  readonly open_token: string;
}

const COLUMNS = 'id, slug, language, title, company, owner, plan, open_token';

/** An unchanged file changes no row and returns none; `xmax = 0` marks a new row. */
const UPSERT = `
insert into vacancy as v (id, slug, language, title, company, owner, plan, open_token,
  created_at, updated_at)
values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8,
  coalesce($9::timestamptz, clock_timestamp()), coalesce($9::timestamptz, clock_timestamp()))
on conflict (slug) do update set
  language = excluded.language, title = excluded.title, company = excluded.company,
  owner = excluded.owner, plan = excluded.plan, updated_at = excluded.updated_at
where (v.language, v.title, v.company, v.owner, v.plan)
  is distinct from (excluded.language, excluded.title, excluded.company, excluded.owner, excluded.plan)
returning ${COLUMNS}, (xmax = 0) as is_new`;

/**
 * The vacancies. An import replaces a vacancy's plan, but not its open link, and not the plan of a
 * running conversation, which has its own copy. SQL: the import is an upsert under a condition, and
 * the reads are one statement with one list of columns.
 */
@Injectable()
export class VacancyRepository {
  constructor(private readonly clock: Clock) {}

  /** Creates the vacancy of this slug or updates it; its open token stays. */
  async upsert(tx: Tx, draft: VacancyDraft): Promise<{ vacancy: Vacancy; outcome: ImportOutcome }> {
    const [row] = await tx.query<Row & { is_new: boolean }>(UPSERT, [
      newId(),
      draft.slug,
      draft.language,
      draft.title,
      draft.company,
      JSON.stringify(draft.owner),
      JSON.stringify(draft.plan),
      newToken(),
      this.clock.databaseNow(),
    ]);
    if (row === undefined) {
      return { vacancy: await this.getBySlug(tx, draft.slug), outcome: 'unchanged' };
    }
    return { vacancy: vacancyOf(row), outcome: row.is_new ? 'created' : 'changed' };
  }

  async find(tx: Tx, id: string): Promise<Vacancy | null> {
    return this.one(tx, 'id', id);
  }

  async findByOpenToken(tx: Tx, openToken: string): Promise<Vacancy | null> {
    return this.one(tx, 'open_token', openToken);
  }

  async findBySlug(tx: Tx, slug: string): Promise<Vacancy | null> {
    return this.one(tx, 'slug', slug);
  }

  /** Throws VacancyUnknownError. */
  async getBySlug(tx: Tx, slug: string): Promise<Vacancy> {
    const vacancy = await this.findBySlug(tx, slug);
    if (vacancy !== null) return vacancy;
    throw new VacancyUnknownError(`there is no vacancy "${slug}"`, { fields: { slug } });
  }

  /** All vacancies by slug. A deployment has tens of them, so there are no pages. */
  async list(tx: Tx): Promise<Vacancy[]> {
    const rows = await tx.query<Row>(`select ${COLUMNS} from vacancy order by slug`);
    return rows.map(vacancyOf);
  }

  /**
   * The vacancies that match what a person types, best first: by words of title, company and slug,
   * whole, in part or in another form. A query without words finds all of them, by title.
   */
  async search(tx: Tx, query: string, { limit }: { limit: number }): Promise<Vacancy[]> {
    const all = await tx.query<SearchedVacancy>('select id, slug, title, company from vacancy');
    const ids = searchVacancies(query, all).slice(0, limit);
    const rows = await tx.query<Row>(
      `select ${COLUMNS} from vacancy where id = any($1::uuid[])
       order by array_position($1::uuid[], id)`,
      [ids],
    );
    return rows.map(vacancyOf);
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    const rows = await tx.query('select 1 from vacancy limit 1');
    return rows.length === 0;
  }

  private async one(
    tx: Tx,
    column: 'id' | 'open_token' | 'slug',
    value: string,
  ): Promise<Vacancy | null> {
    const [row] = await tx.query<Row>(`select ${COLUMNS} from vacancy where ${column} = $1`, [
      value,
    ]);
    return row === undefined ? null : vacancyOf(row);
  }
}

function vacancyOf(row: Row): Vacancy {
  return {
    id: row.id,
    slug: row.slug,
    language: row.language,
    title: row.title,
    company: row.company,
    owner: row.owner,
    plan: row.plan,
    openToken: row.open_token,
  };
}
