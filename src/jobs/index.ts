export {
  type Breaker,
  type BreakerChange,
  CLOSED,
  QueueBreakers,
  afterPeerFailed,
  afterPeerResponded,
  afterTime,
  retryDelayMs,
  withProbe,
} from './breakers';
export { ReplicaId } from './claim.repository';
export { type DebounceLimits, DebounceRepository, type OpenJobs } from './debounce.repository';
export {
  type Claim,
  type DeadJob,
  HandBackRequestedError,
  type JobFlow,
  type JobHandlerClass,
  JobNotDeadError,
  JobPostponedError,
  JobPutBackError,
  LeaseLostError,
  PeerUnavailableError,
  callUnderLease,
} from './job';
export { JobHandler, JobRegistry } from './job';
export { QueueDrain } from './job-drain';
export { isHeldSql } from './job.repository';
export { JobWorker } from './job-worker';
export { JobsModule } from './jobs.module';
export { DoneJobSweep, Jobs, type Lease } from './jobs.service';
