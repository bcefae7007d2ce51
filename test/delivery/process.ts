import type { Channel } from '../../src/channels';
import type { Clock } from '../../src/common/clock';
import { EventBus } from '../../src/common/events';
import type { UnitOfWorkFactory } from '../../src/common/uow';
import { DeliveryService } from '../../src/delivery';
import { BoundedSend, DeliverWorker } from '../../src/delivery/deliver.worker';
import { ChannelLimiterRepository } from '../../src/delivery/channel-limiter.repository';
import { DeadDeliveryRepository } from '../../src/delivery/dead-delivery.repository';
import { DeliveryRepository } from '../../src/delivery/delivery.repository';
import { DeliveryMetrics } from '../../src/delivery/delivery.metrics';
import { PartCommits } from '../../src/delivery/part-commits';
import { registryOf } from '../support/channels';
import { WebChannel } from '../../src/channels/web/web.channel';
import type { TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { type JobRig, jobRig } from '../support/jobs';
import { DeliveryLog } from './delivery-log';

/** The part of src/delivery in one process, wired as DeliveryModule does it. */
export interface DeliveryProcess {
  readonly rig: JobRig;
  readonly deliveries: DeliveryService;
}

export function deliveryProcess(
  db: TestDatabase<Clock>,
  channel: Channel,
  units: UnitOfWorkFactory = db.units,
): DeliveryProcess {
  const { clock } = db;
  const settings = settingsForTests();
  const rig = jobRig({ ...db, units, settings });
  const { jobs } = rig;
  const events = new EventBus();
  events.register(new DeliveryLog());
  const channels = registryOf(new WebChannel(), channel);
  const rows = new DeliveryRepository(clock);
  const limiter = new ChannelLimiterRepository(clock);
  const dead = new DeadDeliveryRepository(clock);
  const deliveries = new DeliveryService(channels, rows, dead, jobs, events, rig.breakers);
  const worker = new DeliverWorker(
    units,
    new PartCommits(rows, limiter, jobs, events),
    new BoundedSend(settings, channels, clock),
    channels,
    limiter,
    new DeliveryMetrics(rig.metrics),
    clock,
  );
  rig.registry.register(worker);
  return { rig, deliveries };
}
