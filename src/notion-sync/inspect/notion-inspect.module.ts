import { Module } from '@nestjs/common';
import { NotionApiModule } from '../api/notion-api.module';
import { EnrolmentRepository } from '../intake/notion-enrolment';
import { BoardReader } from '../run/board-reader';
import { BoardSchemas } from '../run/board-schemas';
import { BoardInspection } from './board-inspection';
import { NotionDoctor } from './doctor';
import { People } from './people';

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
