export { type BrakeDecision, brakeOf, describeBrake } from './brake';
export { describeRun } from './estimate';
export { type PageWrite, inChunks } from './page-writes';
export { type BoardPlan, BoardPlanner } from './plan-board';
