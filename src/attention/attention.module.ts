import { Module } from '@nestjs/common';
import { AlertWebhook } from './alert-webhook';
import { AttentionService } from './attention';
import { AttentionAlerts } from './attention-alerts';
import { AttentionReplays } from './attention-replays';
import { WaitingJobs } from './waiting-tasks';

/** Expects a global Clock, Metrics, Settings and UnitOfWorkFactory. */
@Module({
  providers: [AttentionService, AttentionReplays, AttentionAlerts, AlertWebhook, WaitingJobs],
  exports: [AttentionService, AttentionReplays, AttentionAlerts],
})
export class AttentionModule {}
