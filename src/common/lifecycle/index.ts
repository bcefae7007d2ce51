export { Drain, DrainFailedError, type DrainDeadline, type DrainPhase } from './drain';
export { drainRequests } from './drain';
export { LifecycleModule } from './lifecycle.module';
export { PeerHealth } from './peer-health';
export { retryUntilDone } from './retry-until-done';
export { ProcessEnd, SIGNALS } from './process-end';
