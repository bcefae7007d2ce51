import type { Tx } from '../common/uow';
import { VacancyRepository } from '../vacancies';
import type { CliContext } from './cli-context';

/** Ids of the vacancies with these slugs, each once. Throws VacancyUnknownError. */
export async function vacancyIdsOf(
  cli: CliContext,
  tx: Tx,
  slugs: readonly string[],
): Promise<string[]> {
  const ids = new Set<string>();
  for (const slug of slugs) {
    ids.add((await cli.get(VacancyRepository).getBySlug(tx, slug)).id);
  }
  return [...ids];
}

/** The slugs of all vacancies, by id. */
export async function vacancySlugs(cli: CliContext, tx: Tx): Promise<ReadonlyMap<string, string>> {
  const vacancies = await cli.get(VacancyRepository).list(tx);
  return new Map(vacancies.map(({ id, slug }) => [id, slug]));
}

/** Null: all vacancies. */
export function slugsIn(
  vacancyIds: readonly string[] | null,
  slugs: ReadonlyMap<string, string>,
): string[] | null {
  return vacancyIds === null ? null : vacancyIds.flatMap((id) => slugs.get(id) ?? []);
}
