import { Injectable, Module } from '@nestjs/common';
import { Settings } from '../../common/config';
import {
  AttentionNotReplayableError,
  DomainEventHandler,
  type PayloadOf,
} from '../../common/events';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { Jobs, JobsModule } from '../../jobs';
import { ReviewRepository } from './review.repository';

export const REVIEW_QUEUE = 'notion-review';
export const REMOVAL_QUEUE = 'notion-removal';
/** The topic of attention items about pages that could not be shown or removed. */
export const REVIEW_TOPIC = 'notion-review';
/** Added to a call's timeout: a request that was sent before an erasure has arrived by then, or never will. */
const ARRIVAL_MARGIN_MS = 2000;

/**
 * Enqueues the pages that show finished interviews on the boards of the vacancies' owners. It handles
 * events in the commit that publishes them, and never calls Notion.
 */
@Injectable()
export class ReviewRequests {
  private readonly isOn: boolean;
  private readonly arrivalMs: number;

  constructor(
    settings: Settings,
    private readonly reviews: ReviewRepository,
    private readonly jobs: Jobs,
  ) {
    this.isOn = settings.notion.token !== '';
    this.arrivalMs = settings.notion.timeoutMs + ARRIVAL_MARGIN_MS;
  }

  @DomainEventHandler('interview.finished')
  onFinished(tx: Tx, { conversationId }: PayloadOf<'interview.finished'>): Promise<void> {
    return this.wanted(tx, conversationId);
  }

  @DomainEventHandler('interview.changed')
  onChanged(tx: Tx, { conversationIds }: PayloadOf<'interview.changed'>): Promise<void> {
    return this.changed(tx, conversationIds);
  }

  /** Replays a job that failed too often: to show a page, or to remove one. */
  @DomainEventHandler('attention.replayed', { topic: REVIEW_TOPIC })
  async onReplayed(tx: Tx, { jobId }: PayloadOf<'attention.replayed'>): Promise<void> {
    if (jobId === null) {
      // The item was added before items named their jobs.
      throw new AttentionNotReplayableError('the attention item names no job to replay; close it');
    }
    await this.jobs.replay(tx, jobId);
  }

  /** Does nothing when Notion is switched off. */
  async wanted(tx: Tx, conversationId: string): Promise<void> {
    if (!this.isOn) return;
    await this.reviews.want(tx, newId(), conversationId);
    await this.enqueue(tx, conversationId);
  }

  /** An interview that was never finished has no page, so it is ignored. */
  async changed(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    if (!this.isOn) return;
    for (const row of await this.reviews.listOf(tx, conversationIds)) {
      if (row.conversationId !== null) await this.enqueue(tx, row.conversationId);
    }
  }

  /** The pages that show these interviews; undefined: none. */
  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const rows = await this.reviews.listOf(tx, conversationIds);
    const pages = rows
      .filter(({ state }) => state !== 'wanted')
      .map(({ conversationId, pageId }) => ({ conversationId, pageId }));
    return { name: 'notion', data: pages.length === 0 ? undefined : { pages } };
  }

  /**
   * Enqueues the removal of these interviews' pages, including a page whose creation is under way.
   * Also while Notion is switched off: the pages are removed once it is on again.
   */
  @DomainEventHandler('conversation.erased', { order: 20 })
  async onErased(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>): Promise<void> {
    await this.jobs.erase(tx, { queue: REVIEW_QUEUE, keys: conversationIds.map(reviewKey) });
    for (const { id, pageId } of await this.reviews.startRemoval(tx, conversationIds)) {
      const dueInMs = pageId === null ? this.arrivalMs : 0;
      await this.jobs.enqueue(tx, { queue: REMOVAL_QUEUE, key: `removal:${id}`, dueInMs });
    }
  }

  private async enqueue(tx: Tx, conversationId: string): Promise<void> {
    await this.jobs.enqueue(tx, {
      queue: REVIEW_QUEUE,
      key: reviewKey(conversationId),
      dueInMs: 0,
    });
  }
}

function reviewKey(conversationId: string): string {
  return `review:${conversationId}`;
}

/**
 * Handles the events about interviews, also where Notion is switched off; loads no client of Notion.
 * Expects global Settings, Clock and DomainEvents.
 */
@Module({
  imports: [JobsModule],
  providers: [ReviewRequests, ReviewRepository],
  exports: [ReviewRequests, ReviewRepository],
})
export class ReviewRequestsModule {}
