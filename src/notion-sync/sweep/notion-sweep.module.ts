import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../events/notion-events.module';
import { NotionPagesModule } from '../pages/notion-pages.module';
import { DeskPort } from '../run/desk-port';
import { NotionScheduleModule } from '../schedule/notion-schedule.module';
import { BoardSweep } from '../sync/board-sweep';
import { BoardWalkWorker } from '../sync/board-walk.worker';
import { SweepRepository } from '../sync/sweep.repository';

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
