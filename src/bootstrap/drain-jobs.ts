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
/** Readers still write out the end of a reply that has just been stored. */
const LAST_WORDS_MS = 1000;
/** For aborted flows to settle when somebody is in a hurry. */
const HURRIED_MS = 250;

/** The exit code must say that leases were left to lapse. */
class DatabaseAwayError extends Error {}

/** What a shutdown does with this process's jobs. Whatever is cut short stays in the database. */
export function drainJobs(app: NestFastifyApplication): void {
  const drain = app.get(Drain);
  const { shutdown } = app.get(Settings);
  const worker = app.get(JobWorker, { strict: false });
  const control = app.get(ControlConnection);
  const isAnsweringPending = shutdown.pending === 'flush';
  drain.register('claims', 'jobs', () =>
    worker.stopClaims(
      (queue) => queue.drain === 'first' || (queue.drain === 'flows' && !isAnsweringPending),
    ),
  );
  drain.register('flows', 'jobs', async (deadline) => {
    if (isAnsweringPending) await answerPending(app, worker, deadline);
    // What is sent last is claimed to the end: running flows still add to it.
    await worker.stopClaims((queue) => queue.drain !== 'last');
    await Promise.race([worker.waitUntilSettled(deadline.remainingMs()), aborted(deadline.signal)]);
    await finishDeliveries(app, worker, deadline);
    await worker.stopClaims();
    await waitForLastWords(app, deadline);
  });
  drain.register('handBack', 'jobs', async ({ isHurried }) => {
    await (isHurried ? worker.handBack(HURRIED_MS) : worker.handBack());
    await worker.stop();
    if (control.isLost) throw new DatabaseAwayError('the database is away; leases lapse');
  });
}

/**
 * SHUTDOWN_PENDING=flush: what this replica was collecting is answered now, until nothing of it is
 * left, for half of the deadline at most. Other replicas' answers are theirs to collect.
 */
function answerPending(
  app: NestFastifyApplication,
  worker: JobWorker,
  deadline: DrainDeadline,
): Promise<void> {
  const buffer = app.get(BufferService, { strict: false });
  return untilNothingIsLeft(app, deadline, {
    label: 'drain.flush',
    mayGoOn: () => deadline.remainingMs() > deadline.totalMs / 2,
    // Again and again: a row may have been locked, one behind a running reply waits for it, and
    // one behind a reply that is not delivered is put back.
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
 * No flow adds anything to send any more: what this replica has added is sent, until its chats are
 * empty. Other replicas go on with the rest, and with all of it after the deadline.
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
    // Without a database nothing more can be claimed here.
    mayGoOn: () => deliveries.canSend && !control.isLost && !deadline.signal.aborted,
    count: (tx) => deliveries.countOwnChats(tx, deadline.remainingMs()),
    wake: () => {
      worker.wake('deliver');
    },
  });
}

/** Looks what is left and lets it be worked on, as long as it may. */
async function untilNothingIsLeft(
  app: NestFastifyApplication,
  deadline: DrainDeadline,
  work: {
    readonly label: string;
    mayGoOn(): boolean;
    count(tx: Tx): Promise<number>;
    wake(): void;
  },
): Promise<void> {
  const units = app.get(UnitOfWorkFactory);
  const clock = app.get(Clock);
  while (work.mayGoOn()) {
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

/** A moment for whoever reads what was committed last; nothing is lost without it. */
async function waitForLastWords(app: NestFastifyApplication, deadline: DrainDeadline) {
  const units = app.get(UnitOfWorkFactory);
  const clock = app.get(Clock);
  const untilMs = clock.monotonicMs() + LAST_WORDS_MS;
  do {
    await clock.sleep(POLL_MS, deadline.signal);
  } while (units.committing > 0 && clock.monotonicMs() < untilMs && !deadline.signal.aborted);
}
