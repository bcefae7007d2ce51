export {
  NO_COUNTS,
  RANKED,
  type ScheduleProcess,
  StandInRun,
  scheduleProcess,
} from './schedule-process';
export { type CrowdPlan, type CrowdWaits, waitsInCrowd } from './crowd';
