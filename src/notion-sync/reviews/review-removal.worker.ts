import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type Lease,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { NotionEventWorker, type EventWork } from '../sync/event.worker';
import { PageRepository } from '../sync/page.repository';
import { BoardSchedule } from '../sync/board-schedule';
import { ReviewCalls } from './review-calls';
import { type ReviewRow, ReviewRepository } from './review.repository';
import { ReviewSource } from './review-source';
import { REMOVAL_QUEUE } from './review-requests';

/** Pauses between the looks for a page that is not found: Notion may tell of a new page late. */
const LOOK_AGAIN_AFTER_MS = [60_000, 600_000];

/** Few are ever due, and each is a person's. */
const CONCURRENCY = 2;
const MAX_FAILURES = 5;

/**
 * All pages of an erased interview go into the trash, also if nobody knows yet whether there are any.
 * Removals have a queue of their own: no review, read or walk keeps them waiting, and none of those
 * makes their queue believe that Notion is away. Those that an earlier version put into the queue
 * `notion-event` are done there.
 */
@Injectable()
@JobHandler(REMOVAL_QUEUE, { concurrency: CONCURRENCY, maxFailures: MAX_FAILURES })
export class ReviewRemovalWorker implements JobHandlerClass, EventWork, OnModuleInit {
  readonly prefix = 'removal';
  private readonly logger = new Logger('NotionReviews');

  constructor(
    private readonly events: NotionEventWorker,
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly table: ReviewRepository,
    private readonly source: ReviewSource,
    private readonly calls: ReviewCalls,
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
  ) {}

  onModuleInit(): void {
    this.events.register(this);
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    await this.units.run('notion-removal', async (uow) => {
      const lease = (): Lease => this.jobs.leaseOf(claim);
      const caller = { flow, holder: { signal: flow.signal, lease } };
      const row = await uow.commit('removal.read', async (tx) => {
        await this.jobs.fence(tx, claim);
        const found = await this.table.get(tx, rowIdOf(claim));
        if (found === null) await this.jobs.complete(tx, claim);
        return found;
      });
      if (row === null) return;
      const found = isFindable(row) ? await this.calls.lookUp(caller, row) : [];
      const free = await uow.commitOne('removal.choose', (tx) => this.table.free(tx, found));
      const pageIds = row.pageId === null ? free : [row.pageId, ...free];
      if (pageIds.length === 0) {
        await uow.commit('removal.look-again', (tx) => this.lookAgain(tx, claim, row));
        return;
      }
      for (const pageId of pageIds) await this.calls.trash(caller, pageId);
      await uow.commit('removal.end', (tx) => this.end(tx, claim, { row, pageIds }));
      this.logger.log(`pages of an erased interview are removed: ${pageIds.join(', ')}`);
    });
  }

  async onDead(tx: Tx, task: DeadJob): Promise<void> {
    const row = await this.table.get(tx, rowIdOf(task));
    const page = row?.pageId == null ? 'a page' : `the page ${row.pageId}`;
    await this.source.givenUp(tx, {
      conversationId: null,
      jobId: task.jobId,
      reason: `${page} of an erased interview could not be put into Notion's trash: ${task.error}`,
    });
  }

  private async end(
    tx: Tx,
    claim: Claim,
    { row, pageIds }: { row: ReviewRow; pageIds: readonly string[] },
  ): Promise<void> {
    await this.jobs.fence(tx, claim);
    await this.table.delete(tx, row.id);
    await this.pages.forget(tx, pageIds);
    await this.boards.mark(tx, row.ownerId === null ? [] : [row.ownerId], 'review');
    await this.jobs.complete(tx, claim);
  }

  private async lookAgain(tx: Tx, claim: Claim, row: ReviewRow): Promise<void> {
    await this.jobs.fence(tx, claim);
    const dueInMs = LOOK_AGAIN_AFTER_MS[row.looks];
    if (dueInMs === undefined) {
      await this.table.delete(tx, row.id);
    } else {
      await this.table.lookedInVain(tx, row.id);
      await this.jobs.enqueue(tx, { queue: REMOVAL_QUEUE, key: claim.key, dueInMs });
    }
    await this.jobs.complete(tx, claim);
  }
}

/** By its link; by its title only while no page of it is known, which would not be certain enough. */
function isFindable({ pageId, linkProperty, conversationId }: ReviewRow): boolean {
  return pageId === null || (linkProperty !== null && conversationId !== null);
}

function rowIdOf({ key }: Claim): string {
  return key.slice(key.indexOf(':') + 1);
}
