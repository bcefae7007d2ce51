import { Injectable } from '@nestjs/common';
import type { Tx, UnitOfWork } from '../common/uow';
import {
  type Claim,
  type DeadJob,
  type JobFlow,
  JobHandler,
  type JobHandlerClass,
  Jobs,
} from '../jobs';
import {
  InvitationRepository,
  type InvitationSecrets,
  PinHasher,
  VacancyRepository,
  withManyInvitationSecrets,
} from '../vacancies';
import {
  type InvitationImport,
  InvitationImportRepository,
  type SettledRow,
  type WaitingRow,
} from './invitation-import.repository';
import { InvitationIssuer } from './invitation-issuing';
import { type SealedLink, seal } from './link-seal';

declare module '../jobs' {
  interface QueueNames {
    invite: InvitationImportWorker;
  }
}

export const IMPORT_QUEUE = 'invite';

/** Their PINs are hashed in about a second, far within a lease. */
const PORTION = 25;
/** As many rows that fail by themselves mean that the server has a fault, and not the rows. */
const MOST_FAILED_ROWS = 20;

/** A portion of an import: the next rows, and whether others wait after them. */
interface Portion {
  readonly of: InvitationImport;
  readonly rows: readonly WaitingRow[];
  readonly isLast: boolean;
}

/**
 * The queue `invite`: a job for each portion of a file of invitations. A portion is one commit, which completes
 * its job and enqueues the next one:
 *
 *   read the next rows (commit) ─> make their secrets ─> store them, their fates and the next job (commit)
 *
 * A crash repeats a portion from its beginning, and nothing of it was stored. When a portion fails, its rows
 * are stored one at a time; a row that fails three times is refused, and the others go on. The rows that are
 * left when the vacancy closes are refused in one statement.
 */
@Injectable()
@JobHandler(IMPORT_QUEUE, { concurrency: 1, maxFailures: 3 })
export class InvitationImportWorker implements JobHandlerClass {
  constructor(
    private readonly jobs: Jobs,
    private readonly imports: InvitationImportRepository,
    private readonly vacancies: VacancyRepository,
    private readonly invitations: InvitationRepository,
    private readonly issuer: InvitationIssuer,
    private readonly pinKeys: PinHasher,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const limit = claim.failures === 0 ? PORTION : 1;
    const portion = await flow.uow.commit('invitation_import.next', (tx) =>
      this.portion(tx, claim.key, limit),
    );
    const count = portion?.rows.length ?? 0;
    const beforeEach = (): void => {
      flow.signal.throwIfAborted();
      flow.assertLease();
    };
    await withManyInvitationSecrets(this.pinKeys, { count, beforeEach }, (secrets) =>
      this.store(flow.uow, { claim, portion, secrets }),
    );
  }

  /** The row that could not be stored is refused, and the rest goes on under a new job. */
  async onDead(tx: Tx, { key }: DeadJob): Promise<void> {
    const portion = await this.portion(tx, key, 1);
    const [row] = portion?.rows ?? [];
    if (portion === null || row === undefined) return;
    const problem = { code: 'internal' } as const;
    if ((await this.imports.countRefused(tx, key, problem)) >= MOST_FAILED_ROWS) {
      await this.imports.refuseRest(tx, key, problem);
      return;
    }
    const { isLast } = portion;
    await this.imports.settle(tx, key, { rows: [{ n: row.n, problems: [problem] }], isLast });
    if (!isLast) await this.enqueue(tx, key);
  }

  private async enqueue(tx: Tx, key: string): Promise<void> {
    await this.jobs.enqueue(tx, { queue: IMPORT_QUEUE, key, dueInMs: 0 });
  }

  /** Null: the import was deleted. */
  private async portion(tx: Tx, id: string, limit: number): Promise<Portion | null> {
    const found = await this.imports.find(tx, id);
    if (found === null) return null;
    const rows = await this.imports.next(tx, found, limit + 1);
    return { of: found, rows: rows.slice(0, limit), isLast: rows.length <= limit };
  }

  private async store(
    uow: UnitOfWork,
    work: {
      readonly claim: Claim;
      readonly portion: Portion | null;
      readonly secrets: readonly InvitationSecrets[];
    },
  ): Promise<void> {
    const { claim, portion } = work;
    // Before the commit, which they would prolong.
    const sealed = work.secrets.map((own) => sealedFor(portion, own));
    await uow.commit('invitation_import.store', async (tx) => {
      await this.jobs.fence(tx, claim);
      const isLast = portion === null || (await this.storePortion(tx, portion, sealed));
      if (portion !== null) await this.issuer.tellTeam(tx, portion.of);
      await this.jobs.complete(tx, claim);
      if (!isLast) await this.enqueue(tx, claim.key);
    });
  }

  /** Returns whether the import is finished. */
  private async storePortion(
    tx: Tx,
    { of, rows, isLast }: Portion,
    sealed: readonly SealedSecrets[],
  ): Promise<boolean> {
    const { id, vacancyId } = of;
    if (rows.length === 0 || (await this.vacancies.isClosed(tx, vacancyId))) {
      await this.imports.refuseRest(tx, id, { code: 'vacancy_closed' });
      return true;
    }
    const externalIds = rows.flatMap(({ externalId }) => externalId ?? []);
    const taken = await this.invitations.takenExternalIds(tx, vacancyId, externalIds);
    const settled: SettledRow[] = [];
    for (const [index, row] of rows.entries()) {
      const own = sealed[index];
      if (own === undefined) throw new Error('a row of the portion has no secrets');
      const { n, externalId } = row;
      if (externalId !== null && taken.has(externalId)) {
        settled.push({ n, problems: [{ code: 'external_id_taken' }] });
      } else {
        settled.push(await this.invite(tx, { of, row, own }));
      }
    }
    await this.imports.settle(tx, id, { rows: settled, isLast });
    return isLast;
  }

  private async invite(
    tx: Tx,
    given: {
      readonly of: InvitationImport;
      readonly row: WaitingRow;
      readonly own: SealedSecrets;
    },
  ): Promise<SettledRow> {
    const { of, row, own } = given;
    const { expiresAt, metadata, ...known } = row.given;
    const issued = await this.issuer.issue(tx, {
      vacancyId: of.vacancyId,
      invited: { known },
      secrets: own.secrets,
      metadata,
      ...(row.externalId === null ? {} : { externalId: row.externalId }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
    });
    if (issued === null) throw new Error('a new candidate was not found');
    const { candidate, invitation } = issued;
    const { links } = own;
    return { n: row.n, candidateId: candidate.id, invitationId: invitation.id, links };
  }
}

interface SealedSecrets {
  readonly secrets: InvitationSecrets;
  readonly links: Buffer;
}

/** Without a portion there is nothing to make secrets for. */
function sealedFor(portion: Portion | null, secrets: InvitationSecrets): SealedSecrets {
  if (portion === null) throw new Error('secrets without a portion');
  const { token, pin } = secrets;
  const opened: SealedLink = { token, pin };
  return { secrets, links: seal(portion.of.sealingKey, JSON.stringify(opened)) };
}
