import { Module } from '@nestjs/common';
import { ControlConnection } from '../persistence';
import { CLAIM_CONNECTION } from './claim-connection';
import { ClaimPass } from './claim-pass';
import { ClaimRepository } from './claims';
import { TakeoverGuard } from './contact';
import { DoneJobSweep } from './done-sweep';
import { Heartbeat } from './heartbeat';
import { HeldJobs } from './held-claims';
import { QueueBreakers } from './lane-breakers';
import { JobRegistry } from './lane-registry';
import { ReplicaId } from './replica-id';
import { JobEndings } from './task-endings';
import { JobMetrics } from './task-metrics';
import { JobRunner } from './task-runner';
import { JobWorker } from './task-worker';
import { Jobs } from './tasks';

const FACE = [Jobs, JobRegistry, JobWorker, QueueBreakers, ReplicaId, DoneJobSweep];

/**
 * Durable tasks. Expects global Clock, Settings, Metrics, UnitOfWorkFactory and ControlConnection. The
 * worker does not start by itself: the composition starts it when every lane is registered.
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
