import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { Tx, UnitOfWork } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobFlow,
  type JobHandlerClass,
  Jobs,
} from '../../jobs';
import { NotionNotFoundError, NotionRefusedError } from '../api/errors';
import { NotionApi, type PageFilter, type QueriedPages } from '../api/notion-api';
import { NotionRetries } from '../api/notion-calls';
import {
  describeProblem,
  describeProblems,
  readSchema,
  PropertyReader,
} from '../board/board-schema';
import type { PermitHolder } from '../api/limiter/notion-limiter';
import { PageRepository } from './page.repository';
import { BoardSchedule } from './board-schedule';
import { type ScanProgress, SWEEP, SWEEP_EVERY_MS, SweepRepository } from './sweep.repository';
import { type ScanPlace, placeAfter } from './scan-place';
import { ScanReports, INCOMPLETE } from './scan-reports';

declare module '../../jobs' {
  interface QueueNames {
    'notion-scan': BoardScanWorker;
  }
}

export const SCAN_QUEUE = 'notion-scan';

/**
 * Scans through all open, assigned pages of the data source, a hundred with each call and 10,000
 * with each query (`ScanPlace`), and remembers whose they are. A job makes one call and enqueues the
 * next job:
 *
 *   begin (paid for) ─> query, no connection held ─> remember, move on ─> begin … ─> forget the rest
 *
 * Its place is in the database; after a crash it repeats one call. A scan that could not see
 * everything is reported (log, `notion_scans_total`, and an attention item that the next complete scan
 * closes) and forgets nothing.
 */
@Injectable()
@JobHandler(SCAN_QUEUE, { concurrency: 1, maxFailures: 5 })
export class BoardScanWorker implements JobHandlerClass {
  private readonly settings;
  private readonly names;

  constructor(
    settings: Settings,
    private readonly jobs: Jobs,
    private readonly api: NotionApi,
    private readonly retries: NotionRetries,
    private readonly sweeps: SweepRepository,
    private readonly pages: PageRepository,
    private readonly schedule: BoardSchedule,
    private readonly reports: ScanReports,
  ) {
    this.settings = settings.notionSync;
    this.names = settings.notionBoard.names;
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const { uow } = flow;
    if (this.isOver(claim)) {
      await uow.commit('notion.scan_over', (tx) => this.jobs.complete(tx, claim));
      return;
    }
    const place = await uow.commit('notion.scan_begin', (tx) => this.begin(tx, claim));
    let calls = 0;
    const holder: PermitHolder = {
      signal: flow.signal,
      lease: () => this.jobs.leaseOf(claim),
      onStart: () => void (calls += 1),
    };
    const batch = await this.query(holder, flow, place);
    const moreCalls = Math.max(0, calls - 1);
    if (batch.kind === 'found') {
      await this.store(uow, claim, { ...batch, place, moreCalls });
      return;
    }
    await this.end(uow, claim, { moreCalls, reason: refusalOf(batch.reason, place) });
  }

  /** The sweep begins another scan when the time has come. */
  async onDead(tx: Tx, { key, error }: DeadJob): Promise<void> {
    if (!(await this.sweeps.lockScan(tx, key.slice(KEY.length)))) return;
    await this.sweeps.move(tx, { place: null, isWhole: false, moreCalls: 0 });
    const reason = `the scan of the open tasks failed too often: ${error}`;
    await this.reports.raise(tx, reason);
    tx.afterCommit(() => {
      this.reports.dead(reason);
    });
  }

  /** The sweep is switched off, or the scan belongs to another data source than the configured one. */
  private isOver({ key }: Claim): boolean {
    const { sweepShare, dataSourceId } = this.settings;
    return sweepShare === 0 || key !== scanKeyOf(dataSourceId);
  }

  private async begin(tx: Tx, claim: Claim): Promise<ScanPlace> {
    await this.jobs.fence(tx, claim);
    const place = await this.sweeps.step(tx, this.settings.dataSourceId);
    if (place.closed === null) await this.sweeps.addPeopleOfPages(tx);
    return place;
  }

  private async query(holder: PermitHolder, flow: JobFlow, place: ScanPlace): Promise<Batch> {
    const { dataSourceId } = this.settings;
    // After an outage the job runs again, and the call is counted again.
    const call = <T>(made: () => Promise<T>): Promise<T> =>
      this.retries.forJob(flow, made, { mayRepeatOutage: () => false });
    try {
      let { closed } = place;
      if (closed === null) {
        const { properties } = await call(() => this.api.retrieveDataSource(holder, dataSourceId));
        const { statuses, problems } = readSchema(properties, this.names);
        this.reports.schema(describeProblems(problems));
        const problem = problems.find(({ key }) => key === 'status' || key === 'assignee');
        if (problem !== undefined) return { kind: 'refused', reason: describeProblem(problem) };
        closed = statuses.filter(({ isClosed }) => isClosed).map(({ name }) => name);
      }
      const query = {
        dataSourceId,
        filter: this.filterOf(closed, place.from),
        sorts: [{ timestamp: 'created_time', direction: 'ascending' } as const],
        cursor: place.cursor,
      };
      const found = await call(() => this.api.queryDataSource(holder, query));
      return { kind: 'found', found, closed };
    } catch (error) {
      const isRefusal = error instanceof NotionRefusedError || error instanceof NotionNotFoundError;
      if (!isRefusal) throw error;
      if (place.closed === null) this.reports.schema(`${error.message}.`);
      return { kind: 'refused', reason: error.message };
    }
  }

  /** Assigned open tasks created since then. */
  private filterOf(closed: readonly string[], from: Date | null): PageFilter {
    const { assignee, status } = this.names;
    return {
      and: [
        { property: assignee, people: { is_not_empty: true } },
        ...closed.map((name) => ({ property: status, status: { does_not_equal: name } })),
        ...(from === null
          ? []
          : [
              {
                timestamp: 'created_time' as const,
                created_time: { on_or_after: from.toISOString() },
              },
            ]),
      ],
    };
  }

  private async store(
    uow: UnitOfWork,
    claim: Claim,
    scanned: {
      found: QueriedPages;
      closed: readonly string[];
      place: ScanPlace;
      moreCalls: number;
    },
  ): Promise<void> {
    const { found, closed, place, moreCalls } = scanned;
    const createdAt = found.pages.map(({ created_time }) => new Date(created_time));
    const step = placeAfter({ ...place, closed }, { ...found, createdAt });
    const isForgetting = step.next === null && step.isWhole;
    const seen = this.pagesOf(found);
    await uow.commit('notion.scan', async (tx) => {
      if (!(await this.enter(tx, claim))) return;
      await this.sweeps.checkNewAssigneesNext(tx, seen);
      await this.sweeps.noteLeft(tx, this.peopleIn(found));
      if (isForgetting) await this.sweeps.checkUnseenNext(tx, seen);
      await this.schedule.mark(tx, await this.pages.formerAssignees(tx, seen), 'event');
      await this.sweeps.remember(tx, seen);
      if (isForgetting) await this.sweeps.forgetUnseen(tx);
      const { next, isWhole } = step;
      const moved = await this.sweeps.move(tx, { place: next, isWhole, moreCalls });
      if (next === null && isWhole) await this.reports.settle(tx);
      if (next === null && !isWhole) await this.reports.raise(tx, INCOMPLETE);
      await this.goOn(tx, claim, next === null ? this.pauseAfter(moved) : moved.waitMs);
      tx.afterCommit(() => {
        this.reports.ended(step);
      });
    });
  }

  /**
   * False: a replica with another NOTION_DATA_SOURCE_ID has begun its scan meanwhile, so this one is over
   * and its job is completed.
   */
  private async enter(tx: Tx, claim: Claim): Promise<boolean> {
    await this.jobs.fence(tx, claim);
    const isOwn = await this.sweeps.lockScan(tx, this.settings.dataSourceId);
    if (!isOwn) await this.jobs.complete(tx, claim);
    return isOwn;
  }

  /** Notion refuses this query or this cursor: the next scan starts from the beginning. */
  private async end(
    uow: UnitOfWork,
    claim: Claim,
    { moreCalls, reason }: { moreCalls: number; reason: string },
  ): Promise<void> {
    await uow.commit('notion.scan_end', async (tx) => {
      if (!(await this.enter(tx, claim))) return;
      const moved = await this.sweeps.move(tx, { place: null, isWhole: false, moreCalls });
      await this.reports.raise(tx, reason);
      await this.goOn(tx, claim, this.pauseAfter(moved));
      tx.afterCommit(() => {
        this.reports.refused(reason);
      });
    });
  }

  /**
   * An interval that is shorter than a scan would leave nothing of the share to boards: the next scan
   * begins when this one is paid for, and boards have had as much time as it has taken.
   */
  private pauseAfter({ waitMs, tookMs }: ScanProgress): number {
    return Math.max(SWEEP.intervalMs, waitMs + Math.max(tookMs, SWEEP_EVERY_MS));
  }

  private async goOn(tx: Tx, claim: Claim, dueInMs: number): Promise<void> {
    await this.jobs.enqueue(tx, { queue: SCAN_QUEUE, key: claim.key, dueInMs });
    await this.jobs.complete(tx, claim);
  }

  private pagesOf({ pages }: QueriedPages) {
    return pages.flatMap(({ id, properties }) => {
      const people = new PropertyReader(properties, this.names).value('assignee')?.people;
      return people === undefined
        ? []
        : [{ pageId: id, assigneeIds: [...new Set(people.map((person) => person.id))] }];
    });
  }

  /**
   * For a person who has left, Notion returns only the id. Without the right to read users it returns only
   * ids for everybody; then nobody counts as having left.
   */
  private peopleIn({ pages }: QueriedPages) {
    const people = pages.flatMap(({ properties }) => {
      const property = properties[this.names.assignee];
      return property?.type === 'people' ? property.people : [];
    });
    const named = people.filter((person) => 'type' in person).map(({ id }) => id);
    const nameless = people.filter((person) => !('type' in person)).map(({ id }) => id);
    return { named, nameless: named.length === 0 ? [] : nameless };
  }
}

const KEY = 'scan:';

/** A data source has one scan of all its open tasks at a time. */
export function scanKeyOf(dataSourceId: string): string {
  return `${KEY}${dataSourceId}`;
}

/** A batch of pages and the statuses that count as closed, or why Notion returns none. */
type Batch =
  | { readonly kind: 'found'; readonly found: QueriedPages; readonly closed: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

function refusalOf(reason: string, { closed }: ScanPlace): string {
  const what =
    closed === null ? 'the open tasks cannot be scanned' : 'the scan of the open tasks ended early';
  return `${what}: ${reason}`;
}
