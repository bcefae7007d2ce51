import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from './notion-events.module';
import { NotionPagesModule } from './notion-pages.module';
import { DeskPort } from './desk-port';
import { NotionScheduleModule } from './notion-schedule.module';
import { BoardSweep } from './board-sweep';
import { BoardWalkWorker } from './board-walk.worker';
import { SweepRepository } from './sweep.repository';

/** What finds the changes that nobody was told of. Expects some module that provides a NotionDesk. */
@Module({
  imports: [
    JobsModule,
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
  ],
  providers: [BoardSweep, BoardWalkWorker, DeskPort, SweepRepository],
})
export class NotionSweepModule {}
