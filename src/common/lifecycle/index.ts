export { Drain, DrainFailedError, type DrainDeadline, type DrainPhase } from './drain';
export { drainRequests } from './open-requests';
export { PeerConditions } from './peer-conditions';
export { ProcessEnd, SIGNALS } from './process-end';
