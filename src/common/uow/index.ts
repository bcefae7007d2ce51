export {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseReadOnlyError,
  DatabaseUnavailableError,
  NoCommitRunningError,
  PoolExhaustedError,
  RemoteCallInCommitError,
  SwallowedQueryError,
  UnitOfWorkBusyError,
  UnitOfWorkClosedError,
  WriteConflictError,
} from './errors';
export {
  endsConnection,
  isConnectionLost,
  isStalePlan,
  isUniqueViolation,
  sqlStateOf,
} from './errors';
export { CommitBatcher } from './commit-batcher';
export { keptPlan, namedStatement } from './named-statement';
export { Semaphore } from './semaphore';
export { type Tx, assertOutsideCommit, preparedStatement } from './transaction';
export { UnitOfWork } from './unit-of-work';
export { UnitOfWorkFactory } from './unit-of-work.factory';
export {
  RequestUnit,
  closeRequestUnit,
  provideRequestUnits,
  requestUnit,
  withRequestUnit,
} from './unit-of-work.factory';
export { UnitOfWorkMetrics } from './uow.metrics';
export { UowModule } from './uow.module';
export type * from './labels';
