import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, aborted } from '../common/clock';
import { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { Drain, type DrainDeadline } from '../common/lifecycle';
import { type Label, type Tx, UnitOfWorkFactory } from '../common/uow';
import { ControlConnection } from '../persistence';
import { JobWorker } from './job-worker';
import type { QueueName } from './queue-names';

/** What a shutdown does with the jobs of this process. A job that is cut short stays stored. */
@Injectable()
export class JobDrain implements OnModuleInit {
  constructor(
    private readonly drain: Drain,
    private readonly worker: JobWorker,
    private readonly control: ControlConnection,
    private readonly settings: Settings,
  ) {}

  onModuleInit(): void {
    const flushesPending = this.settings.shutdown.pending === 'flush';
    this.drain.register('claims', 'jobs', () =>
      this.worker.stopClaims(
        (queue) => queue.drain === 'first' || (queue.drain === 'flows' && !flushesPending),
      ),
    );
    this.drain.register('flows', 'jobs', async ({ signal, remainingMs }) => {
      // Deliveries (drain: last) are claimed to the end, because running flows still add them.
      await this.worker.stopClaims((queue) => queue.drain !== 'last');
      await Promise.race([this.worker.waitUntilSettled(remainingMs()), aborted(signal)]);
    });
    this.drain.register('handBack', 'jobs', (deadline) => this.handBack(deadline));
  }

  private async handBack({ isHurried }: DrainDeadline): Promise<void> {
    await (isHurried ? this.worker.handBack(HURRIED_MS) : this.worker.handBack());
    await this.worker.stop();
    if (!this.control.isLost) return;
    throw new LeasesNotReturnedError(
      'the database cannot be reached, so leases were not returned: other replicas take the jobs ' +
        'over when the leases end',
    );
  }
}

/** For aborted jobs to end after a second signal. */
const HURRIED_MS = 250;

/** Makes the exit code 1, because leases could not be returned. */
class LeasesNotReturnedError extends Error {}

const POLL_MS = 50;

/** Works a queue off in a drain: counts what is left and wakes the worker, until nothing is left. */
@Injectable()
export class QueueDrain {
  constructor(
    private readonly worker: JobWorker,
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
  ) {}

  /** Ends at the deadline, when `mayContinue` says no, or when `count` returns 0. */
  async workOff(
    queue: QueueName,
    deadline: DrainDeadline,
    work: {
      readonly label: Label;
      mayContinue(): boolean;
      count(tx: Tx): Promise<number>;
    },
  ): Promise<void> {
    while (work.mayContinue()) {
      try {
        const left = await this.units.run('drain', (uow) =>
          uow.commit(work.label, (tx) => work.count(tx)),
        );
        if (left === 0) return;
        this.worker.wake(queue);
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
      }
      await this.clock.sleep(POLL_MS, deadline.signal);
    }
  }
}
