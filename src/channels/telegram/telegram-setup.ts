import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { Drain } from '../../common/lifecycle';
import { UnitOfWorkFactory } from '../../common/uow';
import { JobWorker } from '../../jobs';
import { BotReplyRepository } from './intake/bot-reply.repository';
import { PinLimits } from './intake/pin-limits.repository';
import { Poller } from './intake/poller';
import { UpdateRepository } from './intake/update.repository';
import { TypingIndicator } from './typing-indicator';
import { BotRegistration } from './bot-registration';

/**
 * Starts and stops the channel in this process. A failure of the bot neither delays the start nor ends
 * the process.
 */
@Injectable()
export class TelegramSetup implements OnModuleInit, OnApplicationBootstrap {
  private readonly stopping = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly registration: BotRegistration,
    private readonly worker: JobWorker,
    private readonly poller: Poller,
    private readonly typing: TypingIndicator,
    private readonly drain: Drain,
  ) {}

  onModuleInit(): void {
    this.drain.register('intake', 'telegram', async () => {
      this.stopping.abort();
      await this.poller.stop();
    });
    this.drain.register('streams', 'telegram', () => {
      this.typing.stop();
    });
  }

  /** Updates come in from when this process claims jobs: before, it does not serve yet. */
  onApplicationBootstrap(): void {
    this.worker.onStart(() => {
      void this.registration.run(this.stopping.signal);
      if (this.settings.telegram.mode === 'polling') this.poller.start();
    });
  }
}

const SWEEP_MS = 600_000;

/**
 * Deletes what has become old: updates, replies of the bot that were given up and closed by a person,
 * and counts of wrong PINs.
 */
@Injectable()
export class UpdateSweep {
  private readonly logger = new Logger('Telegram');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly updates: UpdateRepository,
    private readonly replies: BotReplyRepository,
    private readonly pins: PinLimits,
  ) {}

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.units.run('telegram.sweep', async (uow) => {
        const sweep = (): Promise<boolean> =>
          uow.commitOne('telegram.sweep', (tx) => this.updates.sweep(tx));
        while (await sweep());
        await uow.commitOne('telegram.sweep_replies', (tx) => this.replies.sweep(tx));
      });
    } catch (error) {
      this.logger.warn(
        `old updates could not be deleted; the next sweep tries again: ${describeError(error)}`,
      );
    }
  }

  @Cron(CronExpression.EVERY_HOUR)
  async sweepPins(): Promise<void> {
    try {
      await this.units.run('pin', async (uow) => {
        const sweep = (): Promise<boolean> =>
          uow.commitOne('telegram.sweep_pins', (tx) => this.pins.sweep(tx));
        while (await sweep());
      });
    } catch (error) {
      this.logger.warn(`old counts of wrong PINs were not deleted: ${describeError(error)}`);
    }
  }
}
