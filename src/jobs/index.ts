export { retryDelayMs } from './backoff';
export {
  type Breaker,
  CLOSED,
  afterPeerAnswered,
  afterPeerFailed,
  afterTime,
  withProbe,
} from './breaker';
export { DoneSweep } from './done-sweep';
export {
  HandBackRequestedError,
  LeaseLostError,
  PeerUnavailableError,
  TaskNotDeadError,
  TaskPostponedError,
} from './errors';
export { LaneBreakers } from './lane-breakers';
export type { LaneHandler, TaskFlow } from './lane-handler';
export { LaneRegistry } from './lane-registry';
export { ReplicaId } from './replica-id';
export { type Claim, type DeadTask, LANES, type LaneName } from './task';
export { isHeldSql } from './task-sql';
export { TaskWorker } from './task-worker';
export { TasksModule } from './tasks.module';
export { type Lease, Tasks } from './tasks';
