export { retryDelayMs } from './breakers';
export {
  type Breaker,
  CLOSED,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  withProbe,
} from './breakers';
export { DoneJobSweep } from './jobs.service';
export {
  HandBackRequestedError,
  LeaseLostError,
  PeerUnavailableError,
  JobNotDeadError,
  JobPostponedError,
} from './job';
export { QueueBreakers } from './breakers';
export type { JobHandlerClass, JobFlow } from './job';
export { JobHandler, JobRegistry, type RegisteredQueue } from './job-registry';
export { ReplicaId } from './claim.repository';
export { type Claim, type DeadJob, callUnderLease } from './job';
export { isHeldSql } from './job.repository';
export { JobWorker } from './job-worker';
export { JobsModule } from './jobs.module';
export { type Lease, Jobs } from './jobs.service';
export { type DebounceLimits, DebounceRepository, type OpenJobs } from './debounce.repository';
