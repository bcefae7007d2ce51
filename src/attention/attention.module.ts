import { Module } from '@nestjs/common';
import { AlertWebhook, AttentionAlerts } from './alerts';
import { AttentionRepository } from './attention.repository';
import { AttentionService } from './attention.service';
import { ClaimRepository } from './claim.repository';
import { AttentionClaims } from './claims';
import { WaitingJobs } from './waiting-jobs';

/** Expects a global Clock, Drain, DomainEvents, Metrics, Settings and UnitOfWorkFactory. */
@Module({
  providers: [
    AttentionService,
    AttentionRepository,
    AttentionClaims,
    ClaimRepository,
    AttentionAlerts,
    AlertWebhook,
    WaitingJobs,
  ],
  exports: [AttentionService, AttentionClaims, AttentionAlerts],
})
export class AttentionModule {}
