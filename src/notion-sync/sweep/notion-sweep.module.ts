import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../events';
import { NotionPagesModule } from '../pages';
import { DeskPort } from '../run/desk-port';
import { NotionScheduleModule } from '../schedule';
import { BoardSweep } from './board-sweep';
import { BoardWalk } from './board-walk';
import { SweepTable } from './sweep-table';

/** What finds the changes that nobody was told of. Expects some module that provides a NotionDesk. */
@Module({
  imports: [
    TasksModule,
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
  ],
  providers: [BoardSweep, BoardWalk, DeskPort, SweepTable],
})
export class NotionSweepModule {}
