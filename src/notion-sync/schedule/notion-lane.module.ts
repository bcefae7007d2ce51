import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { BoardLane } from './board-lane';
import { BoardLaneStart } from './board-lane-start';
import { BoardUsers } from './board-users';
import { NotionScheduleModule } from './notion-schedule.module';

/** The lane `notion-sync`. Somewhere in the application a module provides BoardRun. */
@Module({
  imports: [TasksModule, NotionScheduleModule],
  providers: [BoardLane, BoardLaneStart, BoardUsers],
})
export class NotionLaneModule {}
