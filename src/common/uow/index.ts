export { assertOutsideCommit } from './commit-scope';
export {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  PoolExhaustedError,
  RemoteCallInCommitError,
  SwallowedQueryError,
  UnitOfWorkBusyError,
  UnitOfWorkClosedError,
} from './errors';
export { isConnectionLost, sqlStateOf } from './errors';
export { RequestUnit, provideRequestUnits } from './request-unit';
export { CommitBatcher } from './commit-batcher';
export { preparedStatement } from './statements';
export type { Tx } from './tx';
export { UnitOfWork } from './unit-of-work';
export { UnitOfWorkFactory } from './units-of-work';
export { UnitOfWorkMetrics } from './uow.metrics';
