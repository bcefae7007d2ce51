import { Module } from '@nestjs/common';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionPagesModule } from './notion-pages.module';
import { NotionScheduleModule } from './notion-schedule.module';
import { BoardGate, BoardRunner } from './board-runner';
import { BoardReader, BoardSchemas } from './board-reader';
import { BoardRun } from './board-run';
import { BoardWriter } from './board-writer';
import { DeskPort } from './desk-port';
import { LimiterAlarm } from '../api/limiter/limiter-alarm';
import { NotionApprovalModule } from './notion-approval.module';
import { ReadAhead } from './read-ahead';

/** The work of the queue `notion-sync`. Expects some module that provides a NotionDesk. */
@Module({
  imports: [NotionApiModule, NotionApprovalModule, NotionPagesModule, NotionScheduleModule],
  providers: [
    { provide: BoardRun, useClass: BoardRunner },
    BoardGate,
    BoardReader,
    BoardSchemas,
    BoardWriter,
    DeskPort,
    LimiterAlarm,
    ReadAhead,
  ],
  exports: [BoardRun],
})
export class NotionRunModule {}
