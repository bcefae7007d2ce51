import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { BoardLog, BoardSchedule } from './board-schedule';
import { ScheduleMetrics } from './schedule.metrics';

/** For whoever marks boards; whoever runs them is in BoardWorkerModule. */
@Module({
  imports: [JobsModule],
  providers: [BoardSchedule, BoardLog, ScheduleMetrics],
  exports: [BoardSchedule, BoardLog, ScheduleMetrics],
})
export class NotionScheduleModule {}
