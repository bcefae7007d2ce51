import { Module } from '@nestjs/common';
import { AlertWebhook } from './alert-webhook';
import { Attention } from './attention';
import { AttentionAlerts } from './attention-alerts';
import { AttentionReplays } from './attention-replays';
import { WaitingTasks } from './waiting-tasks';

/** Expects a global Clock, Metrics, Settings and UnitsOfWork. */
@Module({
  providers: [Attention, AttentionReplays, AttentionAlerts, AlertWebhook, WaitingTasks],
  exports: [Attention, AttentionReplays, AttentionAlerts],
})
export class AttentionModule {}
