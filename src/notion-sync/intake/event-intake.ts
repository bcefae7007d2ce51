import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { UnitOfWorkFactory } from '../../common/uow';
import { EventBatcher } from './event-batcher';
import { WebhookHealth } from './intake-condition';
import { WebhookMetrics } from './intake-metrics';
import { OwnBot } from './own-bot';
import { PropertyIdRepository } from './property-ids';
import { type SortedEvent, otherSentence, sortEvent } from './sort-event';
import type { WebhookEvent } from './webhook-event';

/**
 * Events of the integration's webhook: when `take` has resolved, what is to be done about one is
 * durable. They carry ids only, so a page is read (PageReadWorker), unless whose it is is known already and
 * the event does not touch that, or the page has left the board.
 */
@Injectable()
export class EventIntake {
  private readonly dataSourceId;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly batcher: EventBatcher,
    private readonly propertyIds: PropertyIdRepository,
    private readonly bot: OwnBot,
    private readonly condition: WebhookHealth,
    private readonly metrics: WebhookMetrics,
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
    if (sorted.outcome === 'board_changed') await this.forgetProperties();
    this.metrics.event(sorted.outcome);
    if (sorted.sentence !== null) this.condition.tell(sorted.sentence);
  }

  private async store(
    event: WebhookEvent,
    sorted: Exclude<SortedEvent, { kind: 'skip' }>,
  ): Promise<void> {
    const outcome = await this.batcher.take({
      key: `event:${event.id}`,
      happenedAt: event.happenedAt,
      author: event.authorIds.find((id) => id !== this.bot.botId) ?? '',
      about: sorted.kind === 'page' ? { ...sorted, kind: 'event' } : sorted,
    });
    this.metrics.event(outcome);
    if (outcome === 'other_data_source') this.tellOther(event);
  }

  /** A column may have been replaced by one with another id. */
  private forgetProperties(): Promise<void> {
    return this.units.run('notion-event', (uow) =>
      uow.commitOne('notion.forget-properties', (tx) => this.propertyIds.forget(tx)),
    );
  }

  private tellOther({ parent }: WebhookEvent): void {
    const id = typeof parent === 'object' ? parent.dataSourceId : null;
    this.condition.tell(otherSentence(id));
  }
}
