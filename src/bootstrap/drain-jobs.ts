import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BufferService } from '../buffer';
import { Clock, aborted } from '../common/clock';
import { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { Drain, type DrainDeadline } from '../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { DeliveryService } from '../delivery';
import { ControlConnection } from '../persistence';
import { JobWorker } from '../jobs';

const POLL_MS = 50;
/** For readers to get the end of a reply that has just been stored. */
const LAST_READ_MS = 1000;
/** For aborted jobs to end after a second signal. */
const HURRIED_MS = 250;

/** Makes the exit code 1, because leases could not be returned. */
class LeasesNotReturnedError extends Error {}

/** Registers what a shutdown does with this process's jobs. A job that is cut short stays stored. */
export function drainJobs(app: NestFastifyApplication): void {
  const drain = app.get(Drain);
  const { shutdown } = app.get(Settings);
  const worker = app.get(JobWorker, { strict: false });
  const control = app.get(ControlConnection);
  const flushesPending = shutdown.pending === 'flush';
  drain.register('claims', 'jobs', () =>
    worker.stopClaims(
      (queue) => queue.drain === 'first' || (queue.drain === 'flows' && !flushesPending),
    ),
  );
  drain.register('flows', 'jobs', async (deadline) => {
    if (flushesPending) await flushPending(app, worker, deadline);
    // Deliveries (drain: last) are claimed to the end, because running flows still add them.
    await worker.stopClaims((queue) => queue.drain !== 'last');
    await Promise.race([worker.waitUntilSettled(deadline.remainingMs()), aborted(deadline.signal)]);
    await finishDeliveries(app, worker, deadline);
    await worker.stopClaims();
    await waitForReaders(app, deadline);
  });
  drain.register('handBack', 'jobs', async ({ isHurried }) => {
    await (isHurried ? worker.handBack(HURRIED_MS) : worker.handBack());
    await worker.stop();
    if (!control.isLost) return;
    throw new LeasesNotReturnedError(
      'the database cannot be reached, so leases were not returned: other replicas take the jobs ' +
        'over when the leases end',
    );
  });
}

/**
 * SHUTDOWN_PENDING=flush: flushes the buffers that this replica was filling, until none is left, for
 * at most half of the deadline. Other replicas keep their own buffers.
 */
function flushPending(
  app: NestFastifyApplication,
  worker: JobWorker,
  deadline: DrainDeadline,
): Promise<void> {
  const buffer = app.get(BufferService, { strict: false });
  return untilNothingIsLeft(app, deadline, {
    label: 'drain.flush',
    mayContinue: () => deadline.remainingMs() > deadline.totalMs / 2,
    // Repeated, because a row may be locked, a buffer behind a running reply waits for it, and a
    // buffer behind an undelivered reply is postponed.
    count: async (tx) => {
      await buffer.makeOpenBuffersDue(tx, { appendedHere: true });
      return buffer.countOwnBuffers(tx);
    },
    wake: () => {
      worker.wake('flush');
    },
  });
}

/**
 * Sends what this replica has added, until its chats are empty; no job adds anything any more. Other
 * replicas send the rest, and after the deadline all of it.
 */
function finishDeliveries(
  app: NestFastifyApplication,
  worker: JobWorker,
  deadline: DrainDeadline,
): Promise<void> {
  const deliveries = app.get(DeliveryService, { strict: false });
  const control = app.get(ControlConnection);
  return untilNothingIsLeft(app, deadline, {
    label: 'drain.deliver',
    // Without the database nothing can be claimed.
    mayContinue: () => deliveries.canSend && !control.isLost && !deadline.signal.aborted,
    count: (tx) => deliveries.countOwnChats(tx, deadline.remainingMs()),
    wake: () => {
      worker.wake('deliver');
    },
  });
}

/** Counts what is left and wakes the worker, until nothing is left or time is up. */
async function untilNothingIsLeft(
  app: NestFastifyApplication,
  deadline: DrainDeadline,
  work: {
    readonly label: string;
    mayContinue(): boolean;
    count(tx: Tx): Promise<number>;
    wake(): void;
  },
): Promise<void> {
  const units = app.get(UnitOfWorkFactory);
  const clock = app.get(Clock);
  while (work.mayContinue()) {
    try {
      const left = await units.run('drain', (uow) =>
        uow.commit(work.label, (tx) => work.count(tx)),
      );
      if (left === 0) return;
      work.wake();
    } catch (error) {
      if (!(error instanceof ColloquyError && error.retryable)) throw error;
    }
    await clock.sleep(POLL_MS, deadline.signal);
  }
}

/** Gives readers a moment to read the last commits. Nothing is lost without it. */
async function waitForReaders(app: NestFastifyApplication, deadline: DrainDeadline) {
  const units = app.get(UnitOfWorkFactory);
  const clock = app.get(Clock);
  const untilMs = clock.monotonicMs() + LAST_READ_MS;
  do {
    await clock.sleep(POLL_MS, deadline.signal);
  } while (units.committing > 0 && clock.monotonicMs() < untilMs && !deadline.signal.aborted);
}
