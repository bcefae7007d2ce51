export { BoardSchedule, type MarkCause } from './board-schedule';
export { NotionLaneModule } from './notion-lane.module';
export { NotionScheduleModule } from './notion-schedule.module';
