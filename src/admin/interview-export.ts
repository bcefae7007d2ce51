import { Injectable } from '@nestjs/common';
import type { Principal } from '../access';
import { DomainEvents, type ListedDecision } from '../common/events';
import type { Tx } from '../common/uow';
import {
  type InterviewFilter,
  InterviewListRepository,
  type ListedInterview,
  progress,
  readState,
} from '../interview';
import { AuditRepository, type PageCommit } from '../privacy';

/** Interviews of one page. */
const PAGE = 200;

interface ExportRequest {
  readonly principal: Principal;
  readonly filter: InterviewFilter;
  /** By whose ratings figures are shown; null: none are. */
  readonly reviewer: string | null;
}

/** An interview in a file of many. */
export type ExportedInterview = Awaited<ReturnType<InterviewExport['rowsOf']>>[number];

/**
 * The interviews of a filter for a file, page by page. Each is in the audit as exported, in the commit that reads
 * it, so that with a person's id it is found who has taken their data out.
 */
@Injectable()
export class InterviewExport {
  constructor(
    private readonly interviews: InterviewListRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditRepository,
  ) {}

  /** The newest first. One that begins meanwhile may be missing, and so is one that is erased. */
  async *pages(
    commit: PageCommit,
    of: ExportRequest,
  ): AsyncGenerator<readonly ExportedInterview[], void, undefined> {
    let before: string | undefined;
    do {
      const page = await commit('interview.export', (tx) => this.page(tx, of, before));
      yield page;
      before = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (before !== undefined);
  }

  private async page(tx: Tx, of: ExportRequest, before: string | undefined) {
    const found = await this.interviews.list(tx, of.filter, { before, limit: PAGE });
    const { actor } = of.principal;
    const ids = found.map(({ id }) => id);
    await this.audit.noteAll(tx, { actor, action: 'interview.export' }, ids);
    return this.rowsOf(tx, of, found);
  }

  async rowsOf(tx: Tx, { principal, reviewer }: ExportRequest, found: readonly ListedInterview[]) {
    const figures = await this.figures(tx, principal, reviewer, found);
    const decisions = await this.decisions(tx, principal, found);
    return found.map((one) => {
      const { id, stage, vacancy, candidateId, name, contact, language, channel } = one;
      const { unanswered, ...place } = progress(one.plan, readState(one.state));
      return {
        ...{ id, state: stage, vacancy, candidate: { id: candidateId, name, contact } },
        ...{ externalId: one.externalId, metadata: one.metadata, language, channel },
        openedAt: one.openedAt.toISOString(),
        updatedAt: one.updatedAt.toISOString(),
        progress: { ...place, unanswered: [...unanswered] },
        overall: figures.get(id) ?? null,
        decision: decisions.get(candidateId) ?? null,
      };
    });
  }

  /** By interview. */
  private async figures(
    tx: Tx,
    { scopes }: Principal,
    reviewer: string | null,
    found: readonly ListedInterview[],
  ): Promise<ReadonlyMap<string, number>> {
    if (reviewer === null || !scopes.includes('scores:read')) return new Map();
    const of = { conversationIds: found.map(({ id }) => id), reviewer };
    const maps = await this.events.collect(tx, 'scores.listed', of);
    return new Map(maps.flatMap((map) => [...map]));
  }

  /** By candidate, the newest. */
  private async decisions(
    tx: Tx,
    { scopes, vacancyIds }: Principal,
    found: readonly ListedInterview[],
  ) {
    if (!scopes.includes('decisions:read')) return new Map<string, never>();
    const candidateIds = [...new Set(found.map(({ candidateId }) => candidateId))];
    const newest = await this.events.collect(tx, 'decisions.newest', { candidateIds, vacancyIds });
    return new Map(newest.flat().map((one) => [one.candidateId, shown(one)]));
  }
}

function shown({ isAdverse, decidedBy, reason, decidedAt }: ListedDecision) {
  return { isAdverse, decidedBy, reason, decidedAt: decidedAt.toISOString() };
}
