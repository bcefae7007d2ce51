import { Injectable, Logger } from '@nestjs/common';
import { DomainEvents } from '../../common/events';
import type { Tx } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { PageRepository } from '../sync/page.repository';
import { BoardSchedule } from '../sync/board-schedule';
import { QUERY_LAG_MS, ReviewCalls } from './review-calls';
import { type ReviewRow, ReviewRepository } from './review.repository';
import { REMOVAL_QUEUE, REVIEW_TOPIC } from './review-requests';

declare module '../../jobs' {
  interface QueueNames {
    'notion-removal': ReviewRemovalWorker;
  }
}

/** Pauses between searches for a page that is not found: a new page may appear late in queries. */
const SEARCH_AGAIN_AFTER_MS = [QUERY_LAG_MS, 10 * QUERY_LAG_MS];

/**
 * Moves all pages of an erased interview into Notion's trash, also when it is unknown whether there are any.
 * Removals have a queue of their own, so that no other job delays them, and failures of other jobs
 * do not open their queue's breaker.
 */
@Injectable()
@JobHandler(REMOVAL_QUEUE, { concurrency: 2, maxFailures: 5 })
export class ReviewRemovalWorker implements JobHandlerClass {
  private readonly logger = new Logger('NotionReviews');

  constructor(
    private readonly jobs: Jobs,
    private readonly reviews: ReviewRepository,
    private readonly events: DomainEvents,
    private readonly calls: ReviewCalls,
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const { uow, signal } = flow;
    const caller = { flow, holder: { signal, lease: () => this.jobs.leaseOf(claim) } };
    const row = await uow.commit('removal.read', async (tx) => {
      await this.jobs.fence(tx, claim);
      const found = await this.reviews.get(tx, rowIdOf(claim));
      if (found === null) await this.jobs.complete(tx, claim);
      return found;
    });
    if (row === null) return;
    const found = isFindable(row) ? await this.calls.lookUp(caller, row) : [];
    const free = await uow.commitOne('removal.choose', (tx) => this.reviews.free(tx, found));
    const pageIds = row.pageId === null ? free : [row.pageId, ...free];
    if (pageIds.length === 0) {
      await uow.commit('removal.search_again', (tx) => this.searchAgain(tx, claim, row));
      return;
    }
    for (const pageId of pageIds) await this.calls.trash(caller, pageId);
    await uow.commit('removal.end', (tx) => this.end(tx, claim, { row, pageIds }));
    this.logger.log(`pages of an erased interview are removed: ${pageIds.join(', ')}`);
  }

  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const row = await this.reviews.get(tx, rowIdOf(job));
    const page = row?.pageId == null ? 'a page' : `the page ${row.pageId}`;
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: `${REVIEW_TOPIC}:${job.jobId}`,
      jobId: job.jobId,
      reason: `${page} of an erased interview could not be put into Notion's trash: ${job.error}`,
    });
  }

  private async end(
    tx: Tx,
    claim: Claim,
    { row, pageIds }: { row: ReviewRow; pageIds: readonly string[] },
  ): Promise<void> {
    await this.jobs.fence(tx, claim);
    await this.reviews.delete(tx, row.id);
    // People may have reassigned the page.
    const assignees = [...(await this.pages.assigneesOf(tx, pageIds)).values()].flat();
    const people = new Set(row.ownerId === null ? assignees : [row.ownerId, ...assignees]);
    await this.boards.mark(tx, [...people], 'review');
    await this.pages.forget(tx, pageIds);
    await this.jobs.complete(tx, claim);
  }

  private async searchAgain(tx: Tx, claim: Claim, row: ReviewRow): Promise<void> {
    await this.jobs.fence(tx, claim);
    const dueInMs = SEARCH_AGAIN_AFTER_MS[row.failedSearches];
    if (dueInMs === undefined) {
      await this.reviews.delete(tx, row.id);
    } else {
      await this.reviews.countFailedSearch(tx, row.id);
      await this.jobs.enqueue(tx, { queue: REMOVAL_QUEUE, key: claim.key, dueInMs });
    }
    await this.jobs.complete(tx, claim);
  }
}

/** Pages are found by their link. A title is not certain enough, so it is used only when no page is known. */
function isFindable({ pageId, linkProperty, conversationId }: ReviewRow): boolean {
  return pageId === null || (linkProperty !== null && conversationId !== null);
}

function rowIdOf({ key }: Claim): string {
  return key.slice(key.indexOf(':') + 1);
}
