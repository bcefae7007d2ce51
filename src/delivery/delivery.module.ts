import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { DeadDeliveryRepository, DueChats } from './dead-delivery.repository';
import { DeliveryService } from './delivery.service';
import { DeliveryRepository } from './delivery.repository';
import { ChannelRegistry } from './channel';
import { SettledPort } from './delivery-settled';

/** What is to be delivered; sends nothing. Expects global Clock, Settings, Metrics, UnitOfWorkFactory. */
@Module({
  imports: [JobsModule],
  providers: [
    DeliveryService,
    DeadDeliveryRepository,
    DeliveryRepository,
    DueChats,
    ChannelRegistry,
    SettledPort,
  ],
  exports: [DeliveryService, DeliveryRepository, ChannelRegistry, SettledPort],
})
export class DeliveryModule {}
