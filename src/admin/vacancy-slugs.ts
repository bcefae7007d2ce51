import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type Principal, reaches } from '../access';
import { isStorable } from '../common/text';
import type { Tx } from '../common/uow';
import { VacancyRepository, VacancyUnknownError } from '../vacancies';

const MAX_VACANCIES = 100;
const MAX_SLUG = 200;

/** The vacancies that a key or a user is limited to, as the API names them. */
export const limitedSlugs = z
  .array(z.string().min(1).max(MAX_SLUG).refine(isStorable))
  .min(1)
  .max(MAX_VACANCIES);

/** Vacancies are named by slugs in the API, and by ids in the rights of keys and users. */
@Injectable()
export class VacancySlugs {
  constructor(private readonly vacancies: VacancyRepository) {}

  /** Throws VacancyUnknownError, also for a vacancy that the caller does not reach. */
  async idsOf(tx: Tx, principal: Principal, slugs: readonly string[]): Promise<string[]> {
    const ids = new Set<string>();
    for (const slug of slugs) {
      const vacancy = await this.vacancies.findBySlug(tx, slug);
      if (vacancy === null || !reaches(principal, vacancy.id)) {
        throw new VacancyUnknownError(`No vacancy "${slug}".`);
      }
      ids.add(vacancy.id);
    }
    return [...ids];
  }

  /** By id. */
  byId(tx: Tx): Promise<ReadonlyMap<string, string>> {
    return this.vacancies.slugs(tx);
  }
}
