import { Module } from '@nestjs/common';
import { NotionApiModule } from '../api/notion-api.module';
import { EnrolmentRepository } from '../intake/enrolment.repository';
import { BoardReader, BoardSchemas } from '../sync/board-reader';
import { BoardInspection, People } from './board-inspection';
import { NotionDoctor } from './doctor';

/** What an operator asks about boards, from a command; its calls share the application's limits. */
@Module({
  imports: [NotionApiModule],
  providers: [
    BoardInspection,
    BoardReader,
    BoardSchemas,
    NotionDoctor,
    EnrolmentRepository,
    People,
  ],
  exports: [BoardInspection, NotionDoctor],
})
export class NotionToolsModule {}
