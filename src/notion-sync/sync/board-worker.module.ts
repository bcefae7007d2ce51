import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { BoardWorker } from './board.worker';
import { BoardWorkerStart } from './board-worker-start';
import { ScheduleRepository } from './schedule.repository';
import { NotionScheduleModule } from './notion-schedule.module';

/** The queue `notion-sync`. Somewhere in the application a module provides BoardRun. */
@Module({
  imports: [JobsModule, NotionScheduleModule],
  providers: [BoardWorker, BoardWorkerStart, ScheduleRepository],
})
export class BoardWorkerModule {}
