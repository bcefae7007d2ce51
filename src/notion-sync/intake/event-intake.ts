import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { type Tx, UnitsOfWork } from '../../common/uow';
import { TaskWorker, Tasks } from '../../tasks';
import { IntakeCondition } from './intake-condition';
import { type EventOutcome, IntakeMetrics } from './intake-metrics';
import { OwnBot } from './own-bot';
import { PageChanges } from './page-changes';
import { SeenEvents } from './seen-events';
import { type PageChange, type SortedEvent, otherSentence, sortEvent } from './sort-event';
import type { WebhookEvent } from './webhook-event';

interface PageEvent {
  readonly key: string;
  readonly pageId: string;
  readonly change: PageChange;
  readonly happenedAt: Date | null;
}

/**
 * Events of the integration's webhook: when `take` has resolved, what is to be done about one is
 * durable. They carry ids only, so a page is read by the lane `notion-event`, unless it has left the
 * board and it is known whose it was.
 */
@Injectable()
export class EventIntake {
  private readonly dataSourceId;

  constructor(
    settings: Settings,
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly worker: TaskWorker,
    private readonly events: SeenEvents,
    private readonly changes: PageChanges,
    private readonly bot: OwnBot,
    private readonly condition: IntakeCondition,
    private readonly metrics: IntakeMetrics,
    private readonly clock: Clock,
  ) {
    this.dataSourceId = settings.notionSync.dataSourceId;
  }

  async take(event: WebhookEvent): Promise<void> {
    const sorted = sortEvent(event, {
      dataSourceId: this.dataSourceId,
      botId: this.bot.botId,
      now: this.clock.now(),
    });
    if (sorted.kind !== 'skip') {
      await this.store(event, sorted);
      return;
    }
    this.metrics.event(sorted.outcome);
    if (sorted.sentence !== null) this.condition.tell(sorted.sentence);
  }

  private async store(
    event: WebhookEvent,
    sorted: Exclude<SortedEvent, { kind: 'skip' }>,
  ): Promise<void> {
    const key = `event:${event.id}`;
    const { happenedAt } = event;
    const outcome = await this.units.run('notion-event', (uow) =>
      uow.commit('notion.take', (tx) =>
        sorted.kind === 'page'
          ? this.takePage(tx, { key, happenedAt, ...sorted })
          : this.takePages(tx, key, sorted.pageIds),
      ),
    );
    this.metrics.event(outcome);
    if (outcome === 'other_data_source') this.tellOther(event);
    if (outcome === 'stored') this.worker.poke('notion-event');
    if (outcome === 'marked') this.worker.poke('notion-sync');
  }

  private async takePage(tx: Tx, event: PageEvent): Promise<EventOutcome> {
    const { pageId, change } = event;
    const isKnown = await this.changes.isKnown(tx, pageId);
    if (change === 'foreign' && !isKnown) return 'other_data_source';
    if (!(await this.events.add(tx, event))) return 'duplicate';
    const hasLeft = change !== 'changed' && isKnown;
    if (hasLeft && !(await this.events.isOvertaken(tx, event))) {
      return this.changes.left(tx, pageId);
    }
    await this.toRead(tx, pageId);
    return 'stored';
  }

  private async takePages(tx: Tx, key: string, pageIds: readonly string[]): Promise<EventOutcome> {
    const isNew = await this.events.add(tx, { key, pageId: null, happenedAt: null });
    if (!isNew) return 'duplicate';
    for (const pageId of pageIds) await this.toRead(tx, pageId);
    return 'stored';
  }

  private async toRead(tx: Tx, pageId: string): Promise<void> {
    await this.tasks.upsert(tx, { lane: 'notion-event', key: `page:${pageId}`, dueInMs: 0 });
  }

  private tellOther({ parent }: WebhookEvent): void {
    const id = typeof parent === 'object' ? parent.dataSourceId : null;
    this.condition.tell(otherSentence(id));
  }
}
