import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Settings } from '../common/config';
import { Drain, type DrainDeadline } from '../common/lifecycle';
import { RunMode } from '../common/run-mode';
import { QueueDrain } from '../jobs';
import { BufferService } from './buffer.service';

/**
 * With SHUTDOWN_PENDING=flush, a shutdown flushes the buffers that this replica was filling, until none is
 * left, for at most half of the deadline. Other replicas keep their own buffers.
 */
@Injectable()
export class BufferDrain implements OnModuleInit {
  constructor(
    private readonly drain: Drain,
    private readonly buffer: BufferService,
    private readonly queue: QueueDrain,
    private readonly settings: Settings,
    private readonly mode: RunMode,
  ) {}

  onModuleInit(): void {
    if (this.settings.shutdown.pending !== 'flush' || !this.mode.isServing) return;
    this.drain.register('buffers', 'pending answers', (deadline) => this.flushOwn(deadline));
  }

  private flushOwn(deadline: DrainDeadline): Promise<void> {
    return this.queue.workOff('flush', deadline, {
      label: 'drain.flush',
      mayContinue: () => deadline.remainingMs() > deadline.totalMs / 2,
      // Repeated, because a row may be locked, a buffer behind a running reply waits for it, and a
      // buffer behind an undelivered reply is postponed.
      count: async (tx) => {
        await this.buffer.makeOpenBuffersDue(tx, { appendedHere: true });
        return this.buffer.countOwnBuffers(tx);
      },
    });
  }
}
