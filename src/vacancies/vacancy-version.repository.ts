import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** What a vacancy's file was. */
export interface VacancyVersion {
  /** As the ETag of the file: the same file has the same version, whenever it is stored. */
  readonly version: string;
  /** Since when, and by whom, as the audit names them; null: it was there before versions were kept. */
  readonly madeAt: Date | null;
  readonly madeBy: string | null;
}

interface VacancyVersionFile extends VacancyVersion {
  /** YAML. */
  readonly file: string;
}

/**
 * Of each vacancy. People make a few; the bound is for a program that rewrites a file every minute, with files of up
 * to 256 kB.
 */
const MOST_KEPT = 200;

/** The statement sees the rows from before it: the newest that stay, and the new one, are MOST_KEPT. */
const KEEP = `
with newest as (
  select version from vacancy_version where vacancy_id = $1 order by id desc limit 1
), added as (
  insert into vacancy_version (vacancy_id, version, file, made_at, made_by)
  select $1, $2, $3, case when $4::text is not null then coalesce($5::timestamptz, clock_timestamp()) end, $4
  where not exists (select from newest where version = $2)
  returning id
)
delete from vacancy_version
where vacancy_id = $1 and exists (select from added) and id <= (
  select id from vacancy_version where vacancy_id = $1 order by id desc
  offset ${String(MOST_KEPT - 1)} limit 1)`;

const COLUMNS = 'version, made_at as "madeAt", made_by as "madeBy"';

/** The table `vacancy_version`. */
@Injectable()
export class VacancyVersionRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Keeps the file as the vacancy's newest version, unless it is that already; the oldest beyond 200 are deleted. The
   * caller has locked the vacancy. `by` null: it is not known who made it, and when.
   */
  async keep(
    tx: Tx,
    vacancyId: string,
    of: { readonly version: string; readonly yaml: string; readonly by: string | null },
  ): Promise<void> {
    await tx.query(KEEP, [vacancyId, of.version, of.yaml, of.by, this.clock.databaseNow()]);
  }

  /** The newest first, at most 200. */
  list(tx: Tx, vacancyId: string): Promise<VacancyVersion[]> {
    return tx.query<VacancyVersion>(
      `select ${COLUMNS} from vacancy_version where vacancy_id = $1 order by id desc`,
      [vacancyId],
    );
  }

  /** Of several with the same file, the last one. */
  async find(tx: Tx, vacancyId: string, version: string): Promise<VacancyVersionFile | undefined> {
    const [row] = await tx.query<VacancyVersionFile>(
      `select ${COLUMNS}, file from vacancy_version
       where vacancy_id = $1 and version = $2 order by id desc limit 1`,
      [vacancyId, version],
    );
    return row;
  }
}
