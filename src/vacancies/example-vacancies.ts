import { Injectable } from '@nestjs/common';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tx, UnitOfWork } from '../common/uow';
import type { Vacancy, VacancyDraft } from './vacancy';
import { VacancyRepository } from './vacancy.repository';
import { readVacancyFile } from './vacancy-file';

/**
 * Reads the documents that a vacancy's file names, and returns how to store them in the commit that
 * stores the vacancy. This room knows only their names.
 */
export type PrepareDocuments = (
  folder: string,
  draft: VacancyDraft,
) => Promise<(tx: Tx, vacancy: Vacancy) => Promise<unknown>>;

/**
 * Imports example vacancies into the embedded database, so that a newcomer has something to open. Only
 * while it is empty: later a vacancy belongs to its team, and an example that changed with an upgrade must
 * not overwrite what they imported under its slug. `./colloquy vacancy import examples/x.yaml` imports one on
 * request, into any database.
 */
@Injectable()
export class ExampleVacancies {
  private slugs: ReadonlySet<string> = new Set();

  constructor(private readonly vacancies: VacancyRepository) {}

  /** The open vacancies that have the slug of an example; none before `loadIfEmpty`. */
  async list(tx: Tx): Promise<Vacancy[]> {
    if (this.slugs.size === 0) return [];
    return (await this.vacancies.list(tx)).filter(
      ({ slug, closedAt }) => this.slugs.has(slug) && closedAt === null,
    );
  }

  /**
   * Imports every `*.yaml` of the folder if there is no vacancy yet, and returns all vacancies. A second
   * import of the same file changes nothing.
   */
  async loadIfEmpty(
    uow: UnitOfWork,
    directory: string,
    prepareDocuments: PrepareDocuments,
  ): Promise<Vacancy[]> {
    const isEmpty = await uow.commit('vacancy.is_empty', (tx) => this.vacancies.isEmpty(tx));
    const drafts = await readAll(directory);
    this.slugs = new Set(drafts.map(({ slug }) => slug));
    const read = (isEmpty ? drafts : []).map(async (draft) => {
      return { draft, storeDocuments: await prepareDocuments(directory, draft) };
    });
    const examples = await Promise.all(read);
    return uow.commit('vacancy.load_examples', async (tx) => {
      for (const { draft, storeDocuments } of examples) {
        const { vacancy } = await this.vacancies.upsert(tx, draft);
        await storeDocuments(tx, vacancy);
      }
      return this.vacancies.list(tx);
    });
  }
}

async function readAll(directory: string): Promise<VacancyDraft[]> {
  // An image may leave the folder out: then there is nothing to load.
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(files.map((name) => readVacancyFile(join(directory, name))));
}
