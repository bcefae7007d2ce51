import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { JobWorker } from '../../jobs';
import { Settings } from '../../common/config';
import { type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import { EventBatcher } from './event-batcher';
import { WebhookHealth, WebhookMetrics } from './webhook-health';
import { PropertyIdRepository, EventRepository } from './event.repository';
import { type SortedEvent, otherSentence, sortEvent, type WebhookEvent } from './webhook-event';
import { Interval } from '@nestjs/schedule';
import { Drain } from '../../common/lifecycle';
import { NO_TOKEN, WebhookToken } from './webhook-token';
import { OwnBot } from './own-bot';

/**
 * Handles events of the integration's webhook: when `take` has resolved, the work for the event is
 * durable. Events contain only ids, so the page is read (PageReadWorker), unless its assignees are known
 * and the event does not change them, or the page has left the board.
 */
@Injectable()
export class EventIntake {
  private readonly dataSourceId;

  constructor(
    settings: Settings,
    private readonly batcher: EventBatcher,
    private readonly propertyIds: PropertyIdRepository,
    private readonly bot: OwnBot,
    private readonly health: WebhookHealth,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {
    this.dataSourceId = settings.notionSync.dataSourceId;
  }

  async take(uow: UnitOfWork, event: WebhookEvent): Promise<void> {
    const sorted = sortEvent(event, {
      dataSourceId: this.dataSourceId,
      botId: this.bot.botId,
      now: this.clock.now(),
    });
    if (sorted.kind !== 'skip') {
      await this.store(uow, event, sorted);
      return;
    }
    if (sorted.outcome === 'board_changed') await this.forgetProperties(uow);
    this.metrics.event(sorted.outcome);
    if (sorted.sentence !== null) this.health.log(sorted.sentence);
  }

  private async store(
    uow: UnitOfWork,
    event: WebhookEvent,
    sorted: Exclude<SortedEvent, { kind: 'skip' }>,
  ): Promise<void> {
    const outcome = await this.batcher.take(uow, {
      key: `event:${event.id}`,
      happenedAt: event.happenedAt,
      author: event.authorIds.find((id) => id !== this.bot.botId) ?? '',
      about: sorted.kind === 'page' ? { ...sorted, kind: 'event' } : sorted,
    });
    this.metrics.event(outcome);
    if (outcome === 'other_data_source') this.logOtherSource(event);
  }

  /** A property may have been replaced by one with another id. */
  private forgetProperties(uow: UnitOfWork): Promise<void> {
    return uow.commitOne('notion.forget_properties', (tx) => this.propertyIds.forget(tx));
  }

  private logOtherSource({ parent }: WebhookEvent): void {
    const id = typeof parent === 'object' ? parent.dataSourceId : null;
    this.health.log(otherSentence(id));
  }
}

const SWEEP_MS = 600_000;

/** Starts and stops the intake in this process. Its failures neither delay the start nor end the process. */
@Injectable()
export class IntakeStart implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('NotionWebhook');
  private readonly stopping = new AbortController();
  private learning: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly bot: OwnBot,
    private readonly token: WebhookToken,
    private readonly health: WebhookHealth,
    private readonly events: EventRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly worker: JobWorker,
    private readonly drain: Drain,
  ) {}

  onModuleInit(): void {
    this.drain.register('intake', 'notion', async () => {
      this.stopping.abort();
      await this.learning;
    });
  }

  onApplicationBootstrap(): void {
    this.worker.onStart(() => {
      this.learning = Promise.all([this.bot.learn(this.stopping.signal), this.checkToken()]).then(
        () => undefined,
      );
    });
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.units.run('notion.event', async (uow) => {
        const sweep = (): Promise<boolean> =>
          uow.commitOne('notion.sweep_events', (tx) => this.events.sweep(tx));
        while (await sweep());
      });
    } catch (error) {
      this.logger.warn(`old events were not deleted and are swept again: ${describeError(error)}`);
    }
  }

  /** Checks whether events can be verified at all. */
  private async checkToken(): Promise<void> {
    if (this.settings.notionSync.automationSecret !== '') return;
    try {
      const isKnown = await this.units.run('notion.token', (uow) => this.token.isKnown(uow));
      if (!isKnown) this.health.failed('token', NO_TOKEN);
    } catch {
      // A failure of the database is reported elsewhere; the first event checks again.
    }
  }
}
