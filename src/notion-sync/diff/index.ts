export { type BrakeDecision, type BrakeRules, brakeOf, describeBrake } from './brake';
export { describeRun } from './estimate';
export { type PageWrite, inChunks, pageWrites } from './page-writes';
export { type BoardPlan, BoardPlanner, type BoardRules } from './plan-board';
