import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { EventBus } from '../common/events';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { QueueBreakers } from '../jobs';
import { BufferMetrics } from './buffer.metrics';
import { deadFlushOf } from './flush-handler';
import * as sql from './flush.repository';
import { clear } from './buffer.repository';
import { lockConversation, run } from './debounce.repository';

const BATCH = 100;

/**
 * Expires answers that were tried and got no reply within the TTL: they leave what is waiting,
 * stay in the transcript and go to a person, who can replay them. Never a running buffer, one that
 * was never claimed, one that waits for a peer, or a stored reply.
 */
@Injectable()
export class ExpirySweep {
  private readonly logger = new Logger('Buffer');
  private readonly ttlMs;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly events: EventBus,
    private readonly breakers: QueueBreakers,
    private readonly metrics: BufferMetrics,
    private readonly clock: Clock,
  ) {
    this.ttlMs = settings.buffer.ttlMs;
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.metrics.failed('expire', error);
      this.logger.warn(`the sweep of old buffers failed: ${String(error)}`);
    }
  }

  /** Each buffer in a commit of its own. Answers how many expired. */
  async run(): Promise<number> {
    return this.units.run('buffer.expire', async (uow) => {
      const found = await uow.commitOne('buffer.list_expired', (tx) =>
        run<sql.ExpiredRow>(tx, sql.listExpired({ ...this.options(), limit: BATCH })),
      );
      let expired = 0;
      for (const row of found) if (await this.expire(uow, row)) expired += 1;
      return expired;
    });
  }

  private async expire(uow: UnitOfWork, found: sql.ExpiredRow): Promise<boolean> {
    const isExpired = await uow.commit('buffer.expire', (tx) => this.expireOne(tx, found));
    if (isExpired) this.metrics.expiredOne();
    return isExpired;
  }

  private async expireOne(tx: Tx, found: sql.ExpiredRow): Promise<boolean> {
    await run(tx, lockConversation(found.key));
    const [row] = await run<sql.ExpiredRow>(tx, sql.lockExpired(found.jobId, this.options()));
    if (row === undefined) return false;
    const { jobId, flushId, conversationId, lastError } = deadFlushOf(row);
    await this.events.publish(tx, 'buffer.expired', { jobId, flushId, conversationId, lastError });
    const now = this.clock.databaseNow();
    await run(tx, sql.endExpired(row.jobId, now));
    await run(tx, clear({ bufferIds: [row.jobId], now }));
    return true;
  }

  private options(): sql.ExpiryOptions {
    return {
      retryToo: !this.breakers.isOpen('flush'),
      ttlMs: this.ttlMs,
      now: this.clock.databaseNow(),
    };
  }
}
