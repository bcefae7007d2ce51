import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Settings } from '../common/config';
import { EventBus } from '../common/events';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { Jobs, QueueBreakers } from '../jobs';
import { BufferMetrics } from './buffer.metrics';
import { BufferRepository } from './buffer.repository';
import { flushIdOf } from './flush';
import { type ExpiredRow, FlushRepository } from './flush.repository';

const BATCH = 100;

/**
 * Expires answers that were tried and got no reply within the TTL: they wait no more, stay in the
 * transcript, and `buffer.expired` lets a person replay them. It never expires a running buffer,
 * one that was never claimed, one that waits for a peer, or one with a stored reply.
 */
@Injectable()
export class ExpirySweep {
  private readonly logger = new Logger('Buffer');
  private readonly ttlMs;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly events: EventBus,
    private readonly jobs: Jobs,
    private readonly breakers: QueueBreakers,
    private readonly flushes: FlushRepository,
    private readonly buffers: BufferRepository,
    private readonly metrics: BufferMetrics,
  ) {
    this.ttlMs = settings.buffer.ttlMs;
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.metrics.failed('expire', error);
      this.logger.warn(`expiring old buffers failed; it runs again in a minute: ${String(error)}`);
    }
  }

  /** Each buffer in a commit of its own. Returns how many expired. */
  async run(): Promise<number> {
    return this.units.run('buffer.expire', async (uow) => {
      const found = await uow.commitOne('buffer.list_expired', (tx) =>
        this.flushes.listExpired(tx, this.options(), BATCH),
      );
      let expired = 0;
      for (const row of found) if (await this.expire(uow, row)) expired += 1;
      return expired;
    });
  }

  private async expire(uow: UnitOfWork, found: ExpiredRow): Promise<boolean> {
    const isExpired = await uow.commit('buffer.expire', (tx) => this.expireOne(tx, found));
    if (isExpired) this.metrics.expiredOne();
    return isExpired;
  }

  private async expireOne(tx: Tx, found: ExpiredRow): Promise<boolean> {
    await this.buffers.lockConversation(tx, found.key);
    const row = await this.flushes.lockExpired(tx, this.options(), found.jobId);
    if (row === undefined) return false;
    const { jobId, key: conversationId, lastError } = row;
    const flushId = flushIdOf(jobId);
    await this.events.publish(tx, 'buffer.expired', { jobId, flushId, conversationId, lastError });
    await this.jobs.abandon(tx, jobId);
    await this.buffers.clear(tx, [jobId]);
    return true;
  }

  private options(): { retryToo: boolean; ttlMs: number } {
    return { retryToo: !this.breakers.isOpen('flush'), ttlMs: this.ttlMs };
  }
}
