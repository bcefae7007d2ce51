export {
  NO_COUNTS,
  RANKED,
  type ScheduleProcess,
  StandInRun,
  scheduleProcess,
} from './schedule-process';
export { waitsInCrowd } from './crowd';
