import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Drain, type DrainDeadline } from '../common/lifecycle';
import { JobWorker, QueueDrain } from '../jobs';
import { ControlConnection } from '../persistence';
import { DeliveryService } from './delivery.service';

/**
 * A shutdown sends what this replica has added, until its chats are empty; no job adds anything any more.
 * Other replicas send the rest, and after the deadline all of it.
 */
@Injectable()
export class DeliveryDrain implements OnModuleInit {
  constructor(
    private readonly drain: Drain,
    private readonly deliveries: DeliveryService,
    private readonly queue: QueueDrain,
    private readonly worker: JobWorker,
    private readonly control: ControlConnection,
  ) {}

  onModuleInit(): void {
    this.drain.register('deliveries', 'deliveries', async (deadline) => {
      try {
        // A command adds deliveries, and claims none.
        if (this.worker.isStarted) await this.finish(deadline);
      } finally {
        await this.worker.stopClaims();
      }
    });
  }

  private finish(deadline: DrainDeadline): Promise<void> {
    return this.queue.workOff('deliver', deadline, {
      label: 'drain.deliver',
      // Without the database nothing can be claimed.
      mayContinue: () =>
        this.deliveries.canSend && !this.control.isLost && !deadline.signal.aborted,
      count: (tx) => this.deliveries.countOwnChats(tx, deadline.remainingMs()),
    });
  }
}
