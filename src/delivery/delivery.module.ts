import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { ChannelLimiterRepository } from './channel-limiter.repository';
import { DeadDeliveryRepository, DeliveryRepository } from './delivery.repository';
import { BoundedSend } from './bounded-send';
import { DeliverWorker } from './deliver.worker';
import { DeliveryDrain } from './delivery-drain';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryService } from './delivery.service';
import { PartCommits } from './part-commits';

/**
 * What has to reach candidates, and the worker that sends it. Expects global Clock,
 * ControlConnection, Drain, Settings, Metrics, UnitOfWorkFactory and DomainEvents. Nothing is sent before the job worker starts.
 */
@Module({
  imports: [JobsModule],
  providers: [
    BoundedSend,
    ChannelLimiterRepository,
    DeadDeliveryRepository,
    DeliverWorker,
    DeliveryDrain,
    DeliveryMetrics,
    DeliveryRepository,
    DeliveryService,
    PartCommits,
  ],
  exports: [ChannelLimiterRepository, DeliveryService],
})
export class DeliveryModule {}
