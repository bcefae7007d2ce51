import { Module } from '@nestjs/common';
import { ControlConnection } from '../persistence';
import { ClaimRepository, ReplicaId } from './claim.repository';
import { CLAIM_CONNECTION, TakeoverGuard } from './takeover-guard';
import { ClaimPass, JobWorker } from './job-worker';
import { DoneJobSweep, Jobs } from './jobs.service';
import { Heartbeat } from './heartbeat';
import { HeldJobs } from './held-jobs';
import { QueueBreakers } from './breakers';
import { JobRegistry } from './job-registry';
import { JobEndings, JobRunner } from './job-runner';
import { JobMetrics } from './job.metrics';

const FACE = [Jobs, JobRegistry, JobWorker, QueueBreakers, ReplicaId, DoneJobSweep];

/**
 * Durable jobs. Expects global Clock, Settings, Metrics, UnitOfWorkFactory and ControlConnection. The
 * worker does not start by itself: the composition starts it when every queue is registered.
 */
@Module({
  providers: [
    ...FACE,
    { provide: CLAIM_CONNECTION, useExisting: ControlConnection },
    ClaimPass,
    ClaimRepository,
    TakeoverGuard,
    Heartbeat,
    HeldJobs,
    JobEndings,
    JobMetrics,
    JobRunner,
  ],
  exports: FACE,
})
export class JobsModule {}
