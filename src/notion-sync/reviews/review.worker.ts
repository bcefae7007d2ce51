import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { DomainEvents, type InterviewSummary } from '../../common/events';
import { QuietLog } from '../../common/logging';
import type { Tx } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobFlow,
  type JobHandlerClass,
  JobPostponedError,
  Jobs,
} from '../../jobs';
import { NotionRefusedError, mayHaveArrived } from '../api/errors';
import type { NewProperties } from '../api/notion-api';
import { PageRepository } from '../sync/page.repository';
import { BoardSchedule } from '../sync/board-schedule';
import { type ReviewPage, digestOf, pageOf, titleDigestOf } from './review-page';
import {
  type ReviewBoard,
  contentOf,
  firstValuesOf,
  readReviewBoard,
  reviewNames,
} from './review-board';
import { type ReviewCaller, ReviewCalls } from './review-calls';
import { REVIEW_QUEUE, REVIEW_TOPIC } from './review-requests';
import { type ReviewRow, ReviewRepository } from './review.repository';

declare module '../../jobs' {
  interface QueueNames {
    'notion-review': ReviewWorker;
  }
}

interface Run extends ReviewCaller {
  readonly claim: Claim;
}

interface WantedPage {
  readonly row: ReviewRow;
  readonly subject: InterviewSummary;
  readonly page: ReviewPage;
  readonly digest: string;
}

/** Creates the page of a finished interview once, and updates it in place. */
@Injectable()
@JobHandler(REVIEW_QUEUE, { concurrency: 2, maxFailures: 5 })
export class ReviewWorker implements JobHandlerClass {
  private readonly logger = new Logger('NotionReviews');
  private readonly notes: QuietLog;
  private readonly names;

  constructor(
    private readonly settings: Settings,
    private readonly jobs: Jobs,
    private readonly reviews: ReviewRepository,
    private readonly events: DomainEvents,
    private readonly calls: ReviewCalls,
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
    clock: Clock,
  ) {
    this.notes = new QuietLog(this.logger, clock);
    this.names = reviewNames(settings);
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const holder = { signal: flow.signal, lease: () => this.jobs.leaseOf(claim) };
    const run = { claim, flow, holder };
    const wanted = await flow.uow.commit('review.read', (tx) => this.read(tx, claim));
    if (wanted === null) return;
    const board = await this.readBoard(run);
    const pageId = await this.knownPage(run, wanted.row);
    if (pageId === null) await this.create(run, wanted, board);
    else await this.update(run, wanted, { board, pageId });
  }

  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const conversationId = conversationOf(job);
    const isThere = (await this.events.ask(tx, 'interview.summary', { conversationId })) !== null;
    await this.events.publish(tx, 'attention.needed', {
      kind: 'dead',
      subject: subjectOf(conversationId),
      conversationId: isThere ? conversationId : null,
      jobId: job.jobId,
      reason: `the finished interview could not be shown in Notion: ${job.error}`,
    });
  }

  /** Null: there is nothing to do, and the job is completed. */
  private async read(tx: Tx, claim: Claim): Promise<WantedPage | null> {
    await this.jobs.fence(tx, claim);
    const conversationId = conversationOf(claim);
    const row = await this.reviews.find(tx, conversationId);
    const subject = await this.events.ask(tx, 'interview.summary', { conversationId });
    if (row === null || subject === null) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    const page = pageOf(subject, this.linkTo(conversationId));
    const digest = digestOf(page);
    if (row.state === 'shown' && row.shownDigest === digest) {
      await this.jobs.complete(tx, claim);
      return null;
    }
    return { row, subject, page, digest };
  }

  private async readBoard(run: Run): Promise<ReviewBoard> {
    const properties = await this.calls.schema(run);
    const board = readReviewBoard(properties, this.names, this.settings.notionReview.status);
    for (const { sentence } of board.left) this.notes.warn(sentence);
    return board;
  }

  /**
   * Also finds the page of a create whose response was lost. Null: there is none. Throws
   * JobPostponedError while a query may not show it yet.
   */
  private async knownPage(run: Run, row: ReviewRow): Promise<string | null> {
    if (row.state !== 'creating') return row.pageId;
    const { claim, flow } = run;
    const unseenForMs = await flow.uow.commit('review.look_up', async (tx) => {
      await this.jobs.fence(tx, claim);
      // A call of the earlier claim may still be under way.
      if (claim.takenOver) await this.reviews.extendUnseen(tx, row.id, this.calls.unseenMs);
      return this.reviews.unseenForMs(tx, row.id, this.calls.unseenMs);
    });
    const found = await this.calls.lookUp(run, row);
    const adopted = await flow.uow.commit('review.adopt', async (tx) => {
      await this.jobs.fence(tx, claim);
      const [pageId] = await this.reviews.free(tx, found);
      if (pageId === undefined) return null;
      await this.reviews.show(tx, row.id, { pageId, ownerId: row.ownerId, digest: null });
      return pageId;
    });
    if (adopted !== null || unseenForMs === 0) return adopted;
    throw new JobPostponedError(
      'a page may have been created that Notion does not show yet; it is looked up again',
      unseenForMs,
    );
  }

  private async create(run: Run, wanted: WantedPage, board: ReviewBoard): Promise<void> {
    const { row, page, subject, digest } = wanted;
    const { importance, estimate } = this.settings.notionReview;
    const linkProperty = page.link === null ? null : board.linkProperty;
    await run.flow.uow.commit('review.begin', async (tx) => {
      await this.jobs.fence(tx, run.claim);
      const titleDigest = titleDigestOf(page.title);
      await this.reviews.begin(tx, row.id, { ownerId: subject.ownerId, linkProperty, titleDigest });
    });
    if (subject.ownerId === null) {
      this.notes.warn(
        `The vacancy "${subject.vacancy}" names no owner.notionUserId, so its finished interviews have no assignee in Notion.`,
      );
    }
    const values = { ownerId: subject.ownerId, importance, estimate };
    try {
      const made = await this.createAsTaken(run, {
        ...contentOf(page, board),
        ...firstValuesOf(board, values),
      });
      const { assignee } = board.names;
      const isOwned = assignee !== null && assignee in made.properties;
      await this.shown(run, wanted, {
        pageId: made.pageId,
        ownerId: isOwned ? subject.ownerId : null,
        digest,
      });
      this.logger.log(`the page ${made.pageId} shows a finished interview`);
    } catch (error) {
      if (mayHaveArrived(error)) await this.extendUnseen(run, row);
      throw error;
    }
  }

  /** The call may have waited long for its permit, so it may have begun long after its commit. */
  private async extendUnseen({ claim, flow }: Run, { id }: ReviewRow): Promise<void> {
    if (flow.signal.aborted) return;
    await flow.uow.commitUntilStored('review.unknown', flow.signal, async (tx) => {
      await this.jobs.fence(tx, claim);
      await this.reviews.extendUnseen(tx, id, this.calls.unseenMs);
    });
  }

  /** Leaves out a property that Notion refuses, except the title: a page without it is better than none. */
  private async createAsTaken(
    run: Run,
    wanted: NewProperties,
  ): Promise<{ pageId: string; properties: NewProperties }> {
    for (let properties = wanted; ;) {
      try {
        return { pageId: await this.calls.create(run, properties), properties };
      } catch (error) {
        if (!(error instanceof NotionRefusedError)) throw error;
        const refused = this.refusedIn(error, properties);
        if (refused === null) throw error;
        properties = Object.fromEntries(
          Object.entries(properties).filter(([name]) => name !== refused),
        );
        this.notes.warn(
          `Notion takes no value for the property "${refused}" of a finished interview, so it is left out${refused === this.names.assignee ? ": is the vacancy's owner.notionUserId a member of the workspace?" : '.'}`,
        );
      }
    }
  }

  /** Notion does not name the property when it refuses a person who is no member of the workspace. */
  private refusedIn({ fields }: NotionRefusedError, properties: NewProperties): string | null {
    const named = typeof fields.property === 'string' ? fields.property : this.names.assignee;
    const isLeft = named !== null && named !== this.names.name && named in properties;
    return isLeft ? named : null;
  }

  private async update(
    run: Run,
    wanted: WantedPage,
    { board, pageId }: { board: ReviewBoard; pageId: string },
  ): Promise<void> {
    const { row, page, digest } = wanted;
    const isThere = await this.calls.update(run, pageId, contentOf(page, board));
    await this.shown(run, wanted, { pageId, ownerId: row.ownerId, digest });
    const end = isThere ? 'is up to date' : 'was put into the trash by somebody: it is left there';
    this.logger.log(`the page ${pageId} of a finished interview ${end}`);
  }

  private async shown(
    { flow, claim }: Run,
    { row }: WantedPage,
    shown: { pageId: string; ownerId: string | null; digest: string },
  ): Promise<void> {
    const { pageId, ownerId } = shown;
    const owners = ownerId === null ? [] : [ownerId];
    await flow.uow.commit('review.shown', async (tx) => {
      await this.jobs.fence(tx, claim);
      await this.reviews.show(tx, row.id, shown);
      // Webhooks about our own writes are ignored, so the page is remembered here.
      if (row.state !== 'shown') await this.pages.remember(tx, [{ pageId, assigneeIds: owners }]);
      await this.boards.mark(tx, owners, 'review');
      await this.events.publish(tx, 'attention.settled', {
        subject: subjectOf(conversationOf(claim)),
        resolution: 'a later job showed the interview in Notion',
      });
      await this.jobs.complete(tx, claim);
    });
  }

  private linkTo(conversationId: string): string | null {
    const { admin, http } = this.settings;
    if (this.names.transcript === null) return null;
    if (admin.tokens.length === 0) {
      this.notes.warn(
        'Finished interviews are shown in Notion without a link to their transcripts, which are read with ADMIN_TOKEN: set it.',
      );
      return null;
    }
    const base = http.publicUrl === '' ? `http://localhost:${String(http.port)}` : http.publicUrl;
    return `${base}/console/transcripts/${conversationId}`;
  }
}

/**
 * The subject of the attention item about a job that failed too often; closed when a later job shows
 * the interview.
 */
function subjectOf(conversationId: string): string {
  return `${REVIEW_TOPIC}:${conversationId}`;
}

function conversationOf({ key }: Claim): string {
  return key.slice(key.indexOf(':') + 1);
}
