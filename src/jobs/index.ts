import type { QueueName } from './queue-names';

export {
  type Breaker,
  CLOSED,
  QueueBreakers,
  afterPeerFailed,
  afterPeerResponded,
  afterTime,
  retryDelayMs,
  withProbe,
} from './breakers';
export { ReplicaId } from './replica-id';
export {
  type AddedBy,
  type DebounceLimits,
  DebounceRepository,
  type JobKey,
  type OpenJobs,
  EXTENSIBLE_JOB,
  addToOpenJob,
  extendJob,
} from './debounce.repository';
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
export { CompletionBatcher } from './completion-batcher';
export { JobHandler, JobRegistry } from './job';
export { QueueDrain } from './job-drain';
export { isHeldSql } from './job.repository';
export { JobWorker } from './job-worker';
export { JobsModule } from './jobs.module';
export { DoneJobSweep, Jobs, type Lease } from './jobs.service';
export type * from './queue-names';

declare module '../common/uow' {
  interface LabelAreas {
    /** The unit of a job has the name of its queue. */
    jobs: 'drain' | 'job' | QueueName;
  }
}
