import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence';
import { JobsModule } from '../jobs';
import { DeadDeliveryRepository } from './dead-deliveries';
import { DeliveryService } from './deliveries';
import { DeliveryRepository } from './delivery-rows';
import { DueChats } from './due-chats';
import { ChannelRegistry } from './sending-channels';
import { SettledPort } from './settled-port';

/** What is to be delivered; sends nothing. Expects global Clock, Settings, Metrics, UnitOfWorkFactory. */
@Module({
  imports: [PersistenceModule, JobsModule],
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
