export { Drain, DrainFailedError, type DrainDeadline, type DrainPhase } from './drain';
export { drainRequests } from './open-requests';
export { ProcessEnd, SIGNALS } from './process-end';
