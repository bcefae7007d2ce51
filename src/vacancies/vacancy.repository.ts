import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { newId, newToken } from '../common/ids';
import type { Tx } from '../common/uow';
import { type Vacancy, type VacancyDraft, VacancyUnknownError } from './vacancy';
import { VacancyEntity } from './vacancy.entity';
import { searchVacancies } from './vacancy-search';

/** What an import did to the vacancy's row. */
export type ImportOutcome = 'created' | 'changed' | 'unchanged';

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
returning id, slug, language, title, company, owner, plan, open_token as "openToken",
  (xmax = 0) as "isNew"`;

/** Vacancies that an error names. */
const MOST_NAMED = 10;

/**
 * The vacancies. An import replaces a vacancy's plan, but not its open link, and not the plan of a
 * running conversation, which has its own copy. The import is SQL, because it is an upsert under a
 * condition that tells a new row from a changed one.
 */
@Injectable()
export class VacancyRepository {
  constructor(private readonly clock: Clock) {}

  /** Creates the vacancy of this slug or updates it; its open token stays. */
  async upsert(tx: Tx, draft: VacancyDraft): Promise<{ vacancy: Vacancy; outcome: ImportOutcome }> {
    const [row] = await tx.query<Vacancy & { isNew: boolean }>(UPSERT, [
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
    const { isNew, ...vacancy } = row;
    return { vacancy, outcome: isNew ? 'created' : 'changed' };
  }

  find(tx: Tx, id: string): Promise<Vacancy | null> {
    return tx.manager.findOneBy(VacancyEntity, { id });
  }

  findByOpenToken(tx: Tx, openToken: string): Promise<Vacancy | null> {
    return tx.manager.findOneBy(VacancyEntity, { openToken });
  }

  findBySlug(tx: Tx, slug: string): Promise<Vacancy | null> {
    return tx.manager.findOneBy(VacancyEntity, { slug });
  }

  /** Throws VacancyUnknownError. */
  async getBySlug(tx: Tx, slug: string): Promise<Vacancy> {
    const vacancy = await this.findBySlug(tx, slug);
    if (vacancy !== null) return vacancy;
    const known = (await this.list(tx)).map((each) => each.slug);
    const shown = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED), '…'] : known;
    const hint = known.length === 0 ? 'There are none yet.' : `Known: ${shown.join(', ')}`;
    throw new VacancyUnknownError(`No vacancy "${slug}". ${hint}`, { fields: { slug } });
  }

  /** All vacancies by slug. A deployment has tens of them, so there are no pages. */
  list(tx: Tx): Promise<Vacancy[]> {
    return tx.manager.find(VacancyEntity, { order: { slug: 'ASC' } });
  }

  /**
   * The vacancies that match what a person types, best first: by words of title, company and slug,
   * whole, in part or in another form. A query without words finds all of them, by title.
   */
  async search(tx: Tx, query: string, { limit }: { limit: number }): Promise<Vacancy[]> {
    const all = await this.list(tx);
    const byId = new Map(all.map((vacancy) => [vacancy.id, vacancy]));
    const ids = searchVacancies(query, all).slice(0, limit);
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    return !(await tx.manager.exists(VacancyEntity));
  }
}
