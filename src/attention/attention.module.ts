import { Module } from '@nestjs/common';
import { AlertWebhook, AttentionAlerts } from './alerts';
import { AttentionRepository } from './attention.repository';
import { AttentionService } from './attention.service';
import { WaitingJobs } from './waiting-jobs';

/** Expects a global Clock, Drain, DomainEvents, Metrics, Settings and UnitOfWorkFactory. */
@Module({
  providers: [AttentionService, AttentionRepository, AttentionAlerts, AlertWebhook, WaitingJobs],
  exports: [AttentionService, AttentionAlerts],
})
export class AttentionModule {}
