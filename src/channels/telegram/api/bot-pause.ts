import { Injectable } from '@nestjs/common';
import { UnitOfWorkFactory } from '../../../common/uow';
import { ChannelLimiterRepository } from '../../../delivery';

const CHANNEL = 'telegram';

/**
 * The pause that Telegram asks for (429) concerns the whole bot, so typing, drafts and files obey
 * and set the same one as deliveries: `channel_limiter`, which all replicas read.
 */
@Injectable()
export class BotPause {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly limiter: ChannelLimiterRepository,
  ) {}

  /** What is left of it in milliseconds; 0 without one. */
  leftMs(): Promise<number> {
    return this.units.run('bot pause', (uow) =>
      uow.commitOne('telegram.paused', (tx) => this.limiter.pausedForMs(tx, CHANNEL)),
    );
  }

  begin(forMs: number): Promise<void> {
    return this.units.run('bot pause', (uow) =>
      uow.commitOne('telegram.pause', (tx) => this.limiter.pause(tx, CHANNEL, forMs)),
    );
  }
}
