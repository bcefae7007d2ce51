import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { Drain } from '../../common/lifecycle';
import { UnitOfWorkFactory } from '../../common/uow';
import { JobWorker } from '../../jobs';
import { WebhookHealth } from './intake-condition';
import { OwnBot } from './own-bot';
import { EventRepository } from './seen-events';
import { NO_TOKEN, WebhookToken } from './webhook-token';

const SWEEP_MS = 600_000;

/** The intake's life in this process. Nothing of it holds up the start or ends the process. */
@Injectable()
export class IntakeStart implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('NotionWebhook');
  private readonly stopping = new AbortController();
  private learning: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly bot: OwnBot,
    private readonly token: WebhookToken,
    private readonly condition: WebhookHealth,
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
      this.learning = Promise.all([this.bot.learn(this.stopping.signal), this.look()]).then(
        () => undefined,
      );
    });
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.units.run('notion-event', async (uow) => {
        const sweep = (): Promise<boolean> =>
          uow.commitOne('notion.sweep-events', (tx) => this.events.sweep(tx));
        while (await sweep());
      });
    } catch (error) {
      this.logger.warn(`old events were not deleted and are swept again: ${describeError(error)}`);
    }
  }

  /** Whether anything can be heard at all. */
  private async look(): Promise<void> {
    if (this.settings.notionSync.automationSecret !== '') return;
    try {
      if (!(await this.token.isKnown())) this.condition.troubled('token', NO_TOKEN);
    } catch {
      // The database's trouble is told by whoever works with it; the first event looks again.
    }
  }
}
