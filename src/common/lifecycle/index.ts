export { Drain, DrainFailedError, type DrainDeadline, type DrainPhase } from './drain';
export { drainRequests } from './drain';
export { PeerHealth } from './peer-health';
export { retryUntilDone } from './retry-until-done';
export { ProcessEnd, SIGNALS } from './process-end';
