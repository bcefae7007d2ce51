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
export function vacancySlugs(cli: CliContext, tx: Tx): Promise<ReadonlyMap<string, string>> {
  return cli.get(VacancyRepository).slugs(tx);
}
