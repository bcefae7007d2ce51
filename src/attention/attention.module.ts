import { Module } from '@nestjs/common';
import { AlertWebhook, AttentionAlerts } from './alerts';
import { AttentionService } from './attention.service';
import { AttentionReplays } from './attention-replays';
import { WaitingJobs } from './waiting-jobs';

/** Expects a global Clock, Metrics, Settings and UnitOfWorkFactory. */
@Module({
  providers: [AttentionService, AttentionReplays, AttentionAlerts, AlertWebhook, WaitingJobs],
  exports: [AttentionService, AttentionReplays, AttentionAlerts],
})
export class AttentionModule {}
