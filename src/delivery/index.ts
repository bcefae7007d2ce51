export { ChannelLimiterRepository, type ResendTime, waitMsOf } from './channel-limiter.repository';
export { DeliveryService, type Resumed } from './delivery.service';
export { DeliverWorkerModule } from './deliver-worker.module';
export { DeliveryModule } from './delivery.module';
export { DeliverySettled, type SettledPart } from './delivery-settled';
export { type SendHistory, type NextSend, afterSend, isOutage } from './resend-rules';
export type { DeliveryPart, OutgoingPart, SendOutcome, SendingChannel } from './channel';
