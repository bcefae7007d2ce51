import { Module } from '@nestjs/common';
import { AlertWebhook, AttentionAlerts } from './alerts';
import { AttentionRepository } from './attention.repository';
import { AttentionService } from './attention.service';
import { AttentionReplays } from './attention-replays';
import { WaitingJobs } from './waiting-jobs';

/** Expects a global Clock, EventBus, Metrics, Settings and UnitOfWorkFactory. */
@Module({
  providers: [
    AttentionService,
    AttentionReplays,
    AttentionRepository,
    AttentionAlerts,
    AlertWebhook,
    WaitingJobs,
  ],
  exports: [AttentionService, AttentionReplays, AttentionAlerts],
})
export class AttentionModule {}
