import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DomainEvents } from '../common/events';
import { newId, newToken } from '../common/ids';
import type { Tx } from '../common/uow';
import {
  type Brand,
  type LogoFile,
  type Vacancy,
  type VacancyDraft,
  VacancyUnknownError,
} from './vacancy';
import { VacancyEntity } from './vacancy.entity';
import { searchVacancies } from './vacancy-search';

/** What an import did to the vacancy's row. */
export type ImportOutcome = 'created' | 'changed' | 'unchanged';

/** An unchanged file changes no row and returns none; `xmax = 0` marks a new row. */
const UPSERT = `
insert into vacancy as v (id, slug, language, title, company, owner, plan, brand, notices, open_token,
  created_at, updated_at)
values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, $10,
  coalesce($11::timestamptz, clock_timestamp()), coalesce($11::timestamptz, clock_timestamp()))
on conflict (slug) do update set
  language = excluded.language, title = excluded.title, company = excluded.company,
  owner = excluded.owner, plan = excluded.plan, brand = excluded.brand, notices = excluded.notices,
  updated_at = excluded.updated_at
where (v.language, v.title, v.company, v.owner, v.plan, v.brand, v.notices) is distinct from
  (excluded.language, excluded.title, excluded.company, excluded.owner, excluded.plan, excluded.brand,
   excluded.notices)
returning id, slug, language, title, company, owner, plan, brand, notices, open_token as "openToken",
  closed_at as "closedAt", (xmax = 0) as "isNew"`;

const STORE_LOGO = `
insert into vacancy_logo (vacancy_id, hash, media_type, content) values ($1, $2, $3, $4)
on conflict (vacancy_id) do update set
  hash = excluded.hash, media_type = excluded.media_type, content = excluded.content`;

/**
 * The strongest lock of a row, because an update of `closed_at` alone takes one that lets IS_CLOSED pass: a
 * closing waits for interviews that are beginning, and they wait for it. Imports disturb neither.
 */
const LOCK = 'select id, closed_at from vacancy where slug = $1 for update';

const IS_CLOSED = `
select closed_at is not null as "isClosed" from vacancy where id = $1 for key share`;

/** Vacancies that an error names. */
const MOST_NAMED = 10;

/**
 * The vacancies. An import replaces a vacancy's plan, but not its open link, and not the plan of a
 * running conversation, which has its own copy. The import is SQL, because it is an upsert under a
 * condition that tells a new row from a changed one.
 */
@Injectable()
export class VacancyRepository {
  constructor(
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /** Creates the vacancy of this slug or updates it, with its logo; its open token stays. */
  async upsert(tx: Tx, draft: VacancyDraft): Promise<{ vacancy: Vacancy; outcome: ImportOutcome }> {
    const [row] = await tx.query<Vacancy & { isNew: boolean }>(UPSERT, [
      newId(),
      draft.slug,
      draft.language,
      draft.title,
      draft.company,
      JSON.stringify(draft.owner),
      JSON.stringify(draft.plan),
      JSON.stringify(brandOf(draft)),
      draft.notices ?? [],
      newToken(),
      this.clock.databaseNow(),
    ]);
    if (row === undefined) {
      return { vacancy: await this.getBySlug(tx, draft.slug), outcome: 'unchanged' };
    }
    const { isNew, ...vacancy } = row;
    await this.replaceLogo(tx, vacancy.id, draft.logoFile);
    await this.tellTeam(tx, vacancy);
    return { vacancy, outcome: isNew ? 'created' : 'changed' };
  }

  /** The logo whose content has this hash, of any vacancy. */
  async findLogo(
    tx: Tx,
    hash: string,
  ): Promise<Pick<LogoFile, 'mediaType' | 'content'> | undefined> {
    const rows = await tx.query<Pick<LogoFile, 'mediaType' | 'content'>>(
      'select media_type as "mediaType", content from vacancy_logo where hash = $1 limit 1',
      [hash],
    );
    return rows[0];
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

  /** As findBySlug; imports and other replacements of the vacancy wait for the commit. */
  async lockBySlug(tx: Tx, slug: string): Promise<Vacancy | null> {
    await tx.query('select from vacancy where slug = $1 for no key update', [slug]);
    return this.findBySlug(tx, slug);
  }

  /** The logo of this vacancy, as `upsert` takes it; null: it has none. */
  async logoOf(tx: Tx, { brand: { logo } }: Vacancy): Promise<LogoFile | null> {
    if (logo === undefined) return null;
    const stored = await this.findLogo(tx, logo.hash);
    return stored === undefined ? null : { ...logo, ...stored };
  }

  /** Replaces the logo of the vacancy, which the caller has locked; null removes it. */
  async setLogo(tx: Tx, vacancy: Vacancy, logo: LogoFile | null): Promise<void> {
    const { id, brand } = vacancy;
    const { logo: _, ...others } = brand;
    const after =
      logo === null ? others : { ...others, logo: { name: logo.name, hash: logo.hash } };
    await tx.query(
      `update vacancy set brand = $2::jsonb, updated_at = coalesce($3::timestamptz, clock_timestamp())
       where id = $1`,
      [id, JSON.stringify(after), this.clock.databaseNow()],
    );
    await this.replaceLogo(tx, id, logo ?? undefined);
    await this.tellTeam(tx, vacancy);
  }

  /** The team's pages show the vacancy; also for changes of its documents. */
  async tellTeam(tx: Tx, { id, slug }: Pick<Vacancy, 'id' | 'slug'>): Promise<void> {
    const change = { kind: 'vacancy', id: slug, interviewId: null, vacancyId: id } as const;
    await this.events.publish(tx, 'team.changed', change);
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

  /**
   * Closes the vacancy to new interviews, or opens it again. `hasChanged` false: it was so before, and
   * `closedAt` is as it was. Throws VacancyUnknownError.
   */
  async setClosed(
    tx: Tx,
    slug: string,
    isClosed: boolean,
  ): Promise<{ vacancy: Vacancy; hasChanged: boolean }> {
    const [before] = await tx.query<{ closed_at: Date | null }>(LOCK, [slug]);
    const hasChanged = before !== undefined && (before.closed_at !== null) !== isClosed;
    if (hasChanged) {
      await tx.query(
        `update vacancy set closed_at =
           case when $2 then coalesce($3::timestamptz, clock_timestamp()) end
         where slug = $1`,
        [slug, isClosed, this.clock.databaseNow()],
      );
    }
    const vacancy = await this.getBySlug(tx, slug);
    if (hasChanged) await this.tellTeam(tx, vacancy);
    return { vacancy, hasChanged };
  }

  /** Whether the vacancy takes no new interview. It stays so until the commit. */
  async isClosed(tx: Tx, id: string): Promise<boolean> {
    const [row] = await tx.query<{ isClosed: boolean }>(IS_CLOSED, [id]);
    return row?.isClosed === true;
  }

  /** All vacancies by slug. A deployment has tens of them, so there are no pages. */
  list(tx: Tx): Promise<Vacancy[]> {
    return tx.manager.find(VacancyEntity, { order: { slug: 'ASC' } });
  }

  /** The slugs of all vacancies, by id. */
  async slugs(tx: Tx): Promise<ReadonlyMap<string, string>> {
    const rows = await tx.query<{ id: string; slug: string }>('select id, slug from vacancy');
    return new Map(rows.map(({ id, slug }) => [id, slug]));
  }

  /** Whose vacancies these are; null: of several companies, or there are none. */
  async onlyCompany(tx: Tx): Promise<string | null> {
    const [first, ...others] = await tx.query<{ company: string }>(
      'select distinct company from vacancy limit 2',
    );
    return first === undefined || others.length > 0 ? null : first.company;
  }

  /**
   * The open vacancies that match what a person types, best first: by words of title, company and slug,
   * whole, in part or in another form. A query without words finds all of them, by title.
   */
  async search(tx: Tx, query: string, { limit }: { limit: number }): Promise<Vacancy[]> {
    const all = (await this.list(tx)).filter(({ closedAt }) => closedAt === null);
    const byId = new Map(all.map((vacancy) => [vacancy.id, vacancy]));
    const ids = searchVacancies(query, all).slice(0, limit);
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    return !(await tx.manager.exists(VacancyEntity));
  }

  private async replaceLogo(tx: Tx, vacancyId: string, logo: LogoFile | undefined): Promise<void> {
    if (logo === undefined) {
      await tx.query('delete from vacancy_logo where vacancy_id = $1', [vacancyId]);
      return;
    }
    await tx.query(STORE_LOGO, [vacancyId, logo.hash, logo.mediaType, logo.content]);
  }
}

/** The slugs of these vacancies, without those that are gone; null: all vacancies. */
export function slugsOf(
  vacancyIds: readonly string[] | null,
  slugs: ReadonlyMap<string, string>,
): string[] | null {
  return vacancyIds === null ? null : vacancyIds.flatMap((id) => slugs.get(id) ?? []);
}

/** The hash of the logo is in it, so a vacancy counts as changed when only the picture is another. */
function brandOf({ accent, logoFile }: VacancyDraft): Brand {
  return {
    ...(accent === undefined ? {} : { accent }),
    ...(logoFile === undefined ? {} : { logo: { name: logoFile.name, hash: logoFile.hash } }),
  };
}
