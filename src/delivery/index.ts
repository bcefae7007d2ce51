export { ChannelLimiter } from './channel-limiter';
export { Deliveries, type Resumed } from './deliveries';
export { DeliverLaneModule } from './deliver-lane.module';
export { DeliveryModule } from './delivery.module';
export { DeliverySettled, type SettledPart } from './delivery-settled';
export type { DeliveryPart, OutgoingPart, SendOutcome, SendingChannel } from './sending-channel';
