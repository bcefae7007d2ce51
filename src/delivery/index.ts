export { ChannelLimiterRepository, type ResendTime, waitMsOf } from './channel-limiter.repository';
export { DeliveryModule } from './delivery.module';
export { DeliveryService, type ResumeOutcome } from './delivery.service';
export { type NextSend, type SendHistory, afterSend, isOutage } from './resend-rules';
