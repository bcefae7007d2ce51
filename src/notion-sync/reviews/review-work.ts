import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import { type Claim, type DeadJob, type Lease, type JobFlow, Jobs } from '../../jobs';
import { NotionRefusedError } from '../api/errors';
import type { NewProperties } from '../api/notion-api';
import { NotionEventWorker, type EventWork } from '../sync/event.worker';
import { PageRepository } from '../sync/page.repository';
import { BoardSchedule } from '../sync/board-schedule';
import { OnceLogger, type ReviewPage, digestOf, pageOf, titleDigestOf } from './review-page';
import {
  type ReviewBoard,
  contentOf,
  firstValuesOf,
  readReviewBoard,
  reviewNames,
} from './review-board';
import { type Caller, ReviewCalls } from './review-calls';
import { type ReviewRow, ReviewRepository } from './review.repository';
import { ReviewSource, type ReviewSubject } from './review-source';

interface Run extends Caller {
  readonly uow: UnitOfWork;
  readonly claim: Claim;
}

interface Wanted {
  readonly row: ReviewRow;
  readonly subject: ReviewSubject;
  readonly page: ReviewPage;
  readonly digest: string;
}

/** A finished interview's page: made once, and brought up to date in place. */
@Injectable()
export class ReviewWorker implements EventWork, OnModuleInit {
  readonly prefix = 'review';
  private readonly logger = new Logger('NotionReviews');
  private readonly names;

  constructor(
    private readonly settings: Settings,
    private readonly queue: NotionEventWorker,
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly table: ReviewRepository,
    private readonly source: ReviewSource,
    private readonly calls: ReviewCalls,
    private readonly pages: PageRepository,
    private readonly boards: BoardSchedule,
    private readonly notes: OnceLogger,
    private readonly clock: Clock,
  ) {
    this.names = reviewNames(settings);
  }

  onModuleInit(): void {
    this.queue.register(this);
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    await this.units.run('notion-review', async (uow) => {
      const lease = (): Lease => this.jobs.leaseOf(claim);
      const run = { uow, claim, flow, holder: { signal: flow.signal, lease } };
      const wanted = await uow.commit('review.read', (tx) => this.read(tx, claim));
      if (wanted === null) return;
      const board = await this.readBoard(run);
      const pageId = await this.knownPage(run, wanted.row);
      if (pageId === null) await this.create(run, wanted, board);
      else await this.update(run, wanted, { board, pageId });
    });
  }

  async onDead(tx: Tx, task: DeadJob): Promise<void> {
    const conversationId = conversationOf(task);
    const isThere = (await this.source.find(tx, conversationId)) !== null;
    await this.source.givenUp(tx, {
      conversationId: isThere ? conversationId : null,
      jobId: task.jobId,
      reason: `the finished interview could not be shown in Notion: ${task.error}`,
    });
  }

  /** Null: there is nothing to do, and the task is completed. */
  private async read(tx: Tx, claim: Claim): Promise<Wanted | null> {
    await this.jobs.fence(tx, claim);
    const conversationId = conversationOf(claim);
    const row = await this.table.find(tx, conversationId);
    const subject = await this.source.find(tx, conversationId);
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
    for (const { sentence } of board.left) this.notes.tell(sentence);
    return board;
  }

  /** Also the page of a create of which nobody heard the end. */
  private async knownPage(run: Run, row: ReviewRow): Promise<string | null> {
    if (row.state !== 'creating') return row.pageId;
    // It may still be under way: until here its claim could start it.
    await this.clock.sleep(this.settings.notion.timeoutMs, run.flow.signal);
    run.flow.signal.throwIfAborted();
    const found = await this.calls.lookUp(run, row);
    return run.uow.commit('review.adopt', async (tx) => {
      await this.jobs.fence(tx, run.claim);
      const [pageId] = await this.table.free(tx, found);
      if (pageId === undefined) return null;
      await this.table.show(tx, row.id, { pageId, ownerId: row.ownerId, digest: null });
      return pageId;
    });
  }

  private async create(run: Run, wanted: Wanted, board: ReviewBoard): Promise<void> {
    const { row, page, subject, digest } = wanted;
    const { importance, estimate } = this.settings.notionReview;
    const linkProperty = page.link === null ? null : board.linkProperty;
    await run.uow.commit('review.begin', async (tx) => {
      await this.jobs.fence(tx, run.claim);
      const titleDigest = titleDigestOf(page.title);
      await this.table.begin(tx, row.id, { ownerId: subject.ownerId, linkProperty, titleDigest });
    });
    const values = { ownerId: subject.ownerId, importance, estimate };
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
  }

  /** What Notion refuses beside the title is left out: a page without it is better than none. */
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
        this.notes.tell(
          `Notion takes no value for the property "${refused}" of a finished interview, so it is left out${refused === this.names.assignee ? ": is the vacancy's owner.notionUserId a member of the workspace?" : '.'}`,
        );
      }
    }
  }

  /** Of somebody who is no member Notion says no property's name. */
  private refusedIn({ fields }: NotionRefusedError, properties: NewProperties): string | null {
    const named = typeof fields.property === 'string' ? fields.property : this.names.assignee;
    const isLeft = named !== null && named !== this.names.name && named in properties;
    return isLeft ? named : null;
  }

  private async update(
    run: Run,
    wanted: Wanted,
    { board, pageId }: { board: ReviewBoard; pageId: string },
  ): Promise<void> {
    const { row, page, digest } = wanted;
    const isThere = await this.calls.update(run, pageId, contentOf(page, board));
    await this.shown(run, wanted, { pageId, ownerId: row.ownerId, digest });
    const end = isThere ? 'is up to date' : 'was put into the trash by somebody: it is left there';
    this.logger.log(`the page ${pageId} of a finished interview ${end}`);
  }

  private async shown(
    { uow, claim }: Run,
    { row }: Wanted,
    shown: { pageId: string; ownerId: string | null; digest: string },
  ): Promise<void> {
    const { pageId, ownerId } = shown;
    const owners = ownerId === null ? [] : [ownerId];
    await uow.commit('review.shown', async (tx) => {
      await this.jobs.fence(tx, claim);
      await this.table.show(tx, row.id, shown);
      // Nobody hears of it otherwise: events of our own writing are not followed.
      if (row.state !== 'shown') await this.pages.remember(tx, [{ pageId, assigneeIds: owners }]);
      await this.boards.mark(tx, owners, 'review');
      await this.jobs.complete(tx, claim);
    });
  }

  private linkTo(conversationId: string): string | null {
    const { admin, http } = this.settings;
    if (this.names.transcript === null) return null;
    if (admin.tokens.length === 0) {
      this.notes.tell(
        'Finished interviews are shown in Notion without a link to their transcripts, which are read with ADMIN_TOKEN: set it.',
      );
      return null;
    }
    const base = http.publicUrl === '' ? `http://localhost:${String(http.port)}` : http.publicUrl;
    return `${base}/console/transcripts/${conversationId}`;
  }
}

function conversationOf({ key }: Claim): string {
  return key.slice(key.indexOf(':') + 1);
}
