export { ChannelLimiterRepository, type ResendTime, waitMsOf } from './channel-limiter';
export { DeliveryService, type Resumed } from './deliveries';
export { DeliverLaneModule } from './deliver-lane.module';
export { DeliveryModule } from './delivery.module';
export { DeliverySettled, type SettledPart } from './delivery-settled';
export { type SendHistory, type NextSend, afterSend, isOutage } from './part-decision';
export type { DeliveryPart, OutgoingPart, SendOutcome, SendingChannel } from './sending-channel';
