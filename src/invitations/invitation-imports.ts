import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ColloquyError, describeError } from '../common/errors';
import { isUuid, newId } from '../common/ids';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { Jobs } from '../jobs';
import { VacancyClosedError, VacancyRepository, VacancyUnknownError, shownPin } from '../vacancies';
import type { FileRow } from './file/invitation-file';
import { rowSentence } from './file/problems';
import { IMPORT_QUEUE } from './invitation-import.worker';
import {
  type ImportedRow,
  type InvitationImport,
  InvitationImportRepository,
  type RowsWanted,
} from './invitation-import.repository';
import { InvitationLinks, type Links } from './invitation-issuing';
import { type SealedLink, linkOpener, newLinkKeys } from './link-seal';

/** Files of invitations: accepted at once, worked off by jobs, readable row by row for 30 days. */
@Injectable()
export class InvitationImports {
  constructor(
    private readonly imports: InvitationImportRepository,
    private readonly vacancies: VacancyRepository,
    private readonly links: InvitationLinks,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Stores the rows, which are worked off after the commit. Returns the link key, which is stored nowhere.
   * Throws VacancyUnknownError and VacancyClosedError.
   */
  async accept(
    tx: Tx,
    {
      slug,
      rows,
      vacancyIds,
    }: {
      readonly slug: string;
      readonly rows: readonly FileRow[];
      readonly vacancyIds: Reached;
    },
  ): Promise<{ accepted: InvitationImport; linkKey: string }> {
    const vacancy = await this.vacancies.findBySlug(tx, slug);
    if (vacancy === null || !isReached(vacancyIds, vacancy.id)) {
      throw new VacancyUnknownError('There is no such vacancy.');
    }
    if (await this.vacancies.isClosed(tx, vacancy.id)) throw new VacancyClosedError();
    const id = newId();
    const { linkKey, sealingKey } = newLinkKeys();
    await this.imports.create(tx, { id, vacancyId: vacancy.id, sealingKey, rows });
    if (rows.some(({ given }) => given !== null)) {
      await this.jobs.enqueue(tx, { queue: IMPORT_QUEUE, key: id, dueInMs: 0 });
    }
    return { accepted: await this.get(tx, id, vacancyIds), linkKey };
  }

  /** Throws ImportUnknownError, also for an import of a vacancy that is not reached. */
  async get(tx: Tx, id: string, vacancyIds: Reached): Promise<InvitationImport> {
    const found = isUuid(id) ? await this.imports.find(tx, id) : null;
    if (found === null || !isReached(vacancyIds, found.vacancyId)) throw new ImportUnknownError();
    return found;
  }

  /**
   * Rows in the order of the file. `linkKey`: shows the links and PINs of invitations. Throws
   * LinkKeyWrongError.
   */
  async rows(
    tx: Tx,
    of: InvitationImport,
    wanted: RowsWanted & { readonly linkKey?: string | undefined },
  ): Promise<ShownRow[]> {
    const open = wanted.linkKey === undefined ? null : linkOpener(wanted.linkKey, of.sealingKey);
    if (open === null && wanted.linkKey !== undefined) throw new LinkKeyWrongError();
    const links = await this.links.of(tx);
    const rows = await this.imports.rows(tx, of.id, wanted);
    return rows.map((row) => shown(row, open === null ? null : { open, links }));
  }
}

function shown(
  { n, line, state, externalId, candidateId, invitationId, problems, links }: ImportedRow,
  opener: { readonly open: (sealed: Buffer) => string; readonly links: Links } | null,
): ShownRow {
  const told = (problems ?? []).map((problem) => ({
    code: problem.code,
    column: problem.column ?? null,
    ...rowSentence(problem),
  }));
  const link = links === null || opener === null ? null : linkOf(links, opener);
  return { row: n, line, state, externalId, candidateId, invitationId, problems: told, link };
}

function linkOf(
  sealed: Buffer,
  { open, links }: { readonly open: (sealed: Buffer) => string; readonly links: Links },
): ShownLink {
  const { token, pin } = JSON.parse(open(sealed)) as SealedLink;
  return { web: links.webLink(token), telegram: links.telegramLink(token), pin: shownPin(pin) };
}

/** A row with its fate, as a program reads it. */
export interface ShownRow {
  readonly row: number;
  readonly line: number | null;
  readonly state: ImportedRow['state'];
  readonly externalId: string | null;
  readonly candidateId: string | null;
  readonly invitationId: string | null;
  readonly problems: readonly ShownProblem[];
  /** Null without the link key, and of a row without an invitation. */
  readonly link: ShownLink | null;
}

/** What the recruiter or the caller hands over. */
interface ShownLink {
  readonly web: string;
  /** Null: no bot is known. */
  readonly telegram: string | null;
  readonly pin: string;
}

interface ShownProblem {
  readonly code: string;
  readonly column: string | null;
  readonly en: string;
  readonly ru: string;
}

/** How far an import is, as a program reads it. */
export interface ImportProgress {
  readonly id: string;
  /** The slug. */
  readonly vacancy: string;
  readonly state: 'running' | 'finished';
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  readonly waiting: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export function progressOf(of: InvitationImport): ImportProgress {
  const { id, slug, rows, created, refused, createdAt, finishedAt } = of;
  return {
    id,
    vacancy: slug,
    state: finishedAt === null ? 'running' : 'finished',
    rows,
    created,
    refused,
    waiting: Math.max(0, rows - created - refused),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
  };
}

/** The vacancies that the caller reaches; null: all. */
export type Reached = readonly string[] | null;

export function isReached(vacancyIds: Reached, vacancyId: string): boolean {
  return vacancyIds === null || vacancyIds.includes(vacancyId);
}

/** There is no such import, or it was deleted after 30 days. */
export class ImportUnknownError extends ColloquyError {
  readonly code = 'import_unknown';
  readonly retryable = false;

  constructor() {
    super('There is no such import.');
  }
}

/** The key does not open the links of this import. */
class LinkKeyWrongError extends ColloquyError {
  readonly code = 'link_key_wrong';
  readonly retryable = false;

  constructor() {
    super('This is not the link key of the import.');
  }
}

const KEPT_DAYS = 30;
/** Imports in one commit: their rows are deleted with them. */
const BATCH = 5;

/** Deletes imports after 30 days. The invitations stay. */
@Injectable()
export class ImportSweep {
  private readonly logger = new Logger('Invitations');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly imports: InvitationImportRepository,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(
        `could not delete old imports, trying again in an hour: ${describeError(error)}`,
      );
    }
  }

  /** Returns how many it deleted. */
  async run(): Promise<number> {
    return this.units.run('invitation_import.sweep', async (uow) => {
      for (let deleted = 0; ;) {
        const count = await uow.commit('invitation_import.sweep', (tx) =>
          this.imports.deleteOld(tx, { keptDays: KEPT_DAYS, limit: BATCH }),
        );
        deleted += count;
        if (count < BATCH) return deleted;
      }
    });
  }
}
