import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { InterviewModule } from '../interview';
import { KeysModule } from '../keys';
import { PrivacyModule } from '../privacy';
import { VacanciesModule } from '../vacancies';
import { AttentionController } from './attention.controller';
import { AuditController } from './audit.controller';
import { CandidatesController } from './candidates.controller';
import { KeysController } from './keys.controller';
import { FilesController, VoicesController } from './media.controller';
import { Reach } from './reach';
import { TranscriptsController } from './transcripts.controller';

/** The admin API. Expects global Settings, DomainEvents and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [AttentionModule, InterviewModule, KeysModule, PrivacyModule, VacanciesModule],
  providers: [Reach],
  controllers: [
    AttentionController,
    AuditController,
    CandidatesController,
    FilesController,
    KeysController,
    TranscriptsController,
    VoicesController,
  ],
})
export class AdminModule {}
