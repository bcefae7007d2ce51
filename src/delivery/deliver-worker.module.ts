import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { BoundedSend, DeliverWorker } from './deliver.worker';
import { ChannelLimiterRepository } from './channel-limiter.repository';
import { DeliveryAttempts } from './delivery.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryModule } from './delivery.module';
import { DeliveryStart } from './delivery-start';
import { PartEnding, PartSettling, PartCommits } from './part-commits';

/** Sends what is to be delivered. Expects some module that provides a DeliverySettled. */
@Module({
  imports: [DeliveryModule, JobsModule],
  providers: [
    BoundedSend,
    ChannelLimiterRepository,
    DeliverWorker,
    DeliveryAttempts,
    DeliveryMetrics,
    DeliveryStart,
    PartEnding,
    PartSettling,
    PartCommits,
  ],
  exports: [ChannelLimiterRepository],
})
export class DeliverWorkerModule {}
