import { Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { ClaimRepository } from './claim.repository';
import { ReplicaId } from './replica-id';
import { TakeoverGuard } from './takeover-guard';
import { ClaimCycle } from './claim-cycle';
import { JobWorker } from './job-worker';
import { DoneJobSweep, Jobs, JobWakeSignal } from './jobs.service';
import { JobDrain, QueueDrain } from './job-drain';
import { DebounceRepository } from './debounce.repository';
import { Heartbeat } from './heartbeat';
import { HeldJobs } from './held-jobs';
import { QueueBreakers } from './breakers';
import { JobRegistry } from './job';
import { JobEndings } from './job-endings';
import { JobRunner } from './job-runner';
import { JobMetrics, QueueMetrics } from './job.metrics';
import { JobRepository } from './job.repository';

const FACE = [
  DebounceRepository,
  DoneJobSweep,
  JobRegistry,
  JobWorker,
  Jobs,
  QueueBreakers,
  QueueDrain,
  ReplicaId,
];

/**
 * Durable jobs. Expects global Clock, ControlConnection, Drain, Metrics, Settings and UnitOfWorkFactory.
 * At boot it finds the handlers of all modules; the application starts the worker.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    ...FACE,
    ClaimCycle,
    ClaimRepository,
    TakeoverGuard,
    Heartbeat,
    HeldJobs,
    JobDrain,
    JobEndings,
    JobMetrics,
    JobRepository,
    JobRunner,
    JobWakeSignal,
    QueueMetrics,
  ],
  exports: FACE,
})
export class JobsModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly registry: JobRegistry,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getProviders()) {
      if (typeof instance === 'object' && instance !== null) {
        this.registry.register(instance as object);
      }
    }
  }
}
