import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { BoardWorker } from './board.worker';
import { BoardLaneStart } from './board-worker-start';
import { ScheduleRepository } from './schedule.repository';
import { NotionScheduleModule } from './notion-schedule.module';

/** The lane `notion-sync`. Somewhere in the application a module provides BoardRun. */
@Module({
  imports: [JobsModule, NotionScheduleModule],
  providers: [BoardWorker, BoardLaneStart, ScheduleRepository],
})
export class NotionLaneModule {}
