import { Module } from '@nestjs/common';
import { PersistenceModule } from '../persistence';
import { TasksModule } from '../jobs';
import { DeadDeliveries } from './dead-deliveries';
import { Deliveries } from './deliveries';
import { DeliveryRows } from './delivery-rows';
import { DueChats } from './due-chats';
import { SendingChannels } from './sending-channels';
import { SettledPort } from './settled-port';

/** What is to be delivered; sends nothing. Expects global Clock, Settings, Metrics, UnitsOfWork. */
@Module({
  imports: [PersistenceModule, TasksModule],
  providers: [Deliveries, DeadDeliveries, DeliveryRows, DueChats, SendingChannels, SettledPort],
  exports: [Deliveries, DeliveryRows, SendingChannels, SettledPort],
})
export class DeliveryModule {}
