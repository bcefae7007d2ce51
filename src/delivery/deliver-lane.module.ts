import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence';
import { TasksModule } from '../jobs';
import { BoundedSend } from './bounded-send';
import { ChannelLimiter } from './channel-limiter';
import { DeliverLane } from './deliver-lane';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveryModule } from './delivery.module';
import { DeliveryStart } from './delivery-start';
import { PartEnding } from './part-ending';
import { PartSettling } from './part-settling';
import { PartTaking } from './part-taking';

/** Sends what is to be delivered. Expects some module that provides a DeliverySettled. */
@Module({
  imports: [DeliveryModule, PersistenceModule, TasksModule],
  providers: [
    BoundedSend,
    ChannelLimiter,
    DeliverLane,
    DeliveryAttempts,
    DeliveryMetrics,
    DeliveryStart,
    PartEnding,
    PartSettling,
    PartTaking,
  ],
  exports: [ChannelLimiter],
})
export class DeliverLaneModule {}
