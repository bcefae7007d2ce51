export { Drain, DrainFailedError, type DrainDeadline, type DrainPhase } from './drain';
export { drainRequests } from './open-requests';
export { PeerHealth } from './peer-conditions';
export { ProcessEnd, SIGNALS } from './process-end';
