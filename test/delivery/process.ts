import type { Channel } from '../../src/channels';
import type { Clock } from '../../src/common/clock';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../../src/common/events';
import type { Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { DeliveryService } from '../../src/delivery';
import { BoundedSend } from '../../src/delivery/bounded-send';
import { DeliverWorker } from '../../src/delivery/deliver.worker';
import { ChannelLimiterRepository } from '../../src/delivery/channel-limiter.repository';
import { DeadDeliveryRepository, DeliveryRepository } from '../../src/delivery/delivery.repository';
import { DeliveryMetrics } from '../../src/delivery/delivery.metrics';
import { PartCommits } from '../../src/delivery/part-commits';
import { registryOf } from '../support/channels';
import { WebChannel } from '../../src/channels/web/web.channel';
import type { TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { type JobRig, jobRig } from '../support/jobs';

export interface LoggedEvent {
  readonly what: 'delivered' | 'unconfirmed' | 'failed' | 'blocked' | 'unblocked';
  readonly conversation: string;
  readonly about: string | null;
}

export const EVENT_TABLE = `create table if not exists event_log (
  id bigint generated always as identity, what text, conversation uuid, about text)`;

/** Stands for the interview: stores each `delivery.*` event in the commit that publishes it. */
export class DeliveryLog {
  @DomainEventHandler('delivery.delivered')
  onDelivered(tx: Tx, of: PayloadOf<'delivery.delivered'>): Promise<void> {
    return log(tx, 'delivered', of.conversationId, of.turnId);
  }

  @DomainEventHandler('delivery.unconfirmed')
  onUnconfirmed(tx: Tx, of: PayloadOf<'delivery.unconfirmed'>): Promise<void> {
    return log(tx, 'unconfirmed', of.conversationId, of.deliveryId);
  }

  @DomainEventHandler('delivery.failed')
  onFailed(tx: Tx, of: PayloadOf<'delivery.failed'>): Promise<void> {
    return log(tx, 'failed', of.conversationId, of.error);
  }

  @DomainEventHandler('delivery.blocked')
  onBlocked(tx: Tx, of: PayloadOf<'delivery.blocked'>): Promise<void> {
    return log(tx, 'blocked', of.conversationId, null);
  }

  @DomainEventHandler('delivery.unblocked')
  onUnblocked(tx: Tx, of: PayloadOf<'delivery.unblocked'>): Promise<void> {
    return log(tx, 'unblocked', of.conversationId, null);
  }
}

async function log(
  tx: Tx,
  what: LoggedEvent['what'],
  conversation: string,
  about: string | null,
): Promise<void> {
  await tx.query('insert into event_log (what, conversation, about) values ($1, $2, $3)', [
    what,
    conversation,
    about,
  ]);
}

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
  const rig = jobRig(db, { units, settings });
  const { jobs } = rig;
  const events = new DomainEvents();
  events.register(new DeliveryLog());
  const channels = registryOf(new WebChannel(), channel);
  const rows = new DeliveryRepository(clock);
  const limiter = new ChannelLimiterRepository(clock);
  const dead = new DeadDeliveryRepository(clock);
  const deliveries = new DeliveryService(channels, rows, dead, jobs, events, rig.breakers);
  const worker = new DeliverWorker(
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
