import { Injectable, Module } from '@nestjs/common';
import { Settings } from '../../common/config';
import { OnEvent, type PayloadOf } from '../../common/events';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { Jobs, JobsModule } from '../../jobs';
import { ReviewRepository } from './review.repository';

export const REMOVAL_QUEUE = 'notion-removal';
/** Beyond a call's own time: what was sent before an erasure has arrived by then, or never will. */
const ARRIVAL_MARGIN_MS = 2000;

/**
 * Finished interviews as tasks on their vacancies' owners' boards, as the interview knows them: it
 * says what has happened in the commit in which it happens, and nobody is called here.
 */
@Injectable()
export class ReviewRequests {
  private readonly isOn: boolean;
  private readonly arrivalMs: number;

  constructor(
    settings: Settings,
    private readonly table: ReviewRepository,
    private readonly jobs: Jobs,
  ) {
    this.isOn = settings.notion.token !== '';
    this.arrivalMs = settings.notion.timeoutMs + ARRIVAL_MARGIN_MS;
  }

  /** The interview is finished, or something was added to one that was. Without Notion: nothing. */
  async wanted(tx: Tx, conversationId: string): Promise<void> {
    if (!this.isOn) return;
    await this.table.want(tx, newId(), conversationId);
    await this.enqueue(tx, conversationId);
  }

  /** Something about these interviews has changed; those that were never finished have no page. */
  async changed(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    if (!this.isOn) return;
    for (const row of await this.table.listOf(tx, conversationIds)) {
      if (row.conversationId !== null) await this.enqueue(tx, row.conversationId);
    }
  }

  /** Which pages stand for these interviews; undefined: none. */
  @OnEvent('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const rows = await this.table.listOf(tx, conversationIds);
    const pages = rows
      .filter(({ state }) => state !== 'wanted')
      .map(({ conversationId, pageId }) => ({ conversationId, pageId }));
    return { name: 'notion', data: pages.length === 0 ? undefined : { pages } };
  }

  /**
   * These interviews are being erased: their pages are to go too, also one that is being created
   * at this moment. Also without Notion: then they go when it is there again.
   */
  @OnEvent('conversation.erased', { order: 20 })
  async onErased(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>): Promise<void> {
    await this.jobs.erase(tx, { queue: 'notion-event', keys: conversationIds.map(reviewKey) });
    for (const { id, pageId } of await this.table.startRemoval(tx, conversationIds)) {
      const dueInMs = pageId === null ? this.arrivalMs : 0;
      await this.jobs.enqueue(tx, { queue: REMOVAL_QUEUE, key: `removal:${id}`, dueInMs });
    }
  }

  private async enqueue(tx: Tx, conversationId: string): Promise<void> {
    await this.jobs.enqueue(tx, {
      queue: 'notion-event',
      key: reviewKey(conversationId),
      dueInMs: 0,
    });
  }
}

function reviewKey(conversationId: string): string {
  return `review:${conversationId}`;
}

/** What others say to the reviews; nothing of Notion is loaded for it. Expects a global Settings and Clock. */
@Module({
  imports: [JobsModule],
  providers: [ReviewRequests, ReviewRepository],
  exports: [ReviewRequests, ReviewRepository],
})
export class ReviewRequestsModule {}
