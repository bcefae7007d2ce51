import type { Clock } from '../../src/common/clock';
import type { UnitOfWorkFactory } from '../../src/common/uow';
import { DeliveryService, type SendingChannel } from '../../src/delivery';
import { BoundedSend, DeliverWorker } from '../../src/delivery/deliver.worker';
import { ChannelLimiterRepository } from '../../src/delivery/channel-limiter.repository';
import { DeadDeliveryRepository, DueChats } from '../../src/delivery/dead-delivery.repository';
import { DeliveryAttempts, DeliveryRepository } from '../../src/delivery/delivery.repository';
import { DeliveryMetrics } from '../../src/delivery/delivery.metrics';
import { PartEnding, PartSettling, PartCommits } from '../../src/delivery/part-commits';
import { ChannelRegistry } from '../../src/delivery/channel';
import { SettledPort } from '../../src/delivery/delivery-settled';
import type { TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { type JobRig, jobRig } from '../support/jobs';
import { LoggedSettled } from './logged-settled';

/** One process's share of src/delivery, wired as its modules do it. */
export interface DeliveryProcess {
  readonly rig: JobRig;
  readonly deliveries: DeliveryService;
}

export function deliveryProcess(
  db: TestDatabase<Clock>,
  channel: SendingChannel,
  units: UnitOfWorkFactory = db.units,
): DeliveryProcess {
  const { clock } = db;
  const settings = settingsForTests();
  const rig = jobRig({ ...db, units, settings });
  const { jobs } = rig;
  const channels = new ChannelRegistry();
  const rows = new DeliveryRepository(clock);
  const attempts = new DeliveryAttempts(clock);
  const limiter = new ChannelLimiterRepository(clock);
  const port = new SettledPort();
  port.connect(new LoggedSettled());
  const ending = new PartEnding(rows, port);
  const dead = new DeadDeliveryRepository(clock);
  const due = new DueChats(rig.replica, clock);
  const deliveries = new DeliveryService(channels, rows, dead, port, jobs, due, rig.breakers);
  deliveries.register(channel);
  const parts = [jobs, rows, attempts, limiter, ending] as const;
  const queue = new DeliverWorker(
    units,
    new PartCommits(...parts),
    new PartSettling(...parts),
    new BoundedSend(settings, channels, clock),
    limiter,
    new DeliveryMetrics(rig.metrics),
    clock,
  );
  rig.registry.register(queue);
  return { rig, deliveries };
}
