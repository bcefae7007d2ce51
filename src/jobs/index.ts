export { retryDelayMs } from './backoff';
export {
  type Breaker,
  CLOSED,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  withProbe,
} from './breaker';
export { DoneJobSweep } from './done-sweep';
export {
  HandBackRequestedError,
  LeaseLostError,
  PeerUnavailableError,
  JobNotDeadError,
  JobPostponedError,
} from './errors';
export { QueueBreakers } from './lane-breakers';
export type { JobHandlerClass, JobFlow } from './lane-handler';
export { JobRegistry } from './lane-registry';
export { ReplicaId } from './replica-id';
export { type Claim, type DeadJob, LANES, type LaneName } from './task';
export { isHeldSql } from './task-sql';
export { JobWorker } from './task-worker';
export { JobsModule } from './tasks.module';
export { type Lease, Jobs } from './tasks';
