import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { InterviewModule } from '../interview';
import { InvitationsModule } from '../invitations';
import { KeysModule } from '../keys';
import { PrivacyModule } from '../privacy';
import { VacanciesModule } from '../vacancies';
import { AttentionController } from './attention.controller';
import { AuditController } from './audit.controller';
import { CandidatesController } from './candidates.controller';
import { InvitationImportsController } from './invitation-imports.controller';
import { KeysController } from './keys.controller';
import { FilesController, VoicesController } from './media.controller';
import { Reach } from './reach';
import { TranscriptsController } from './transcripts.controller';

/** The admin API. Expects global Settings, DomainEvents and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [
    AttentionModule,
    InterviewModule,
    InvitationsModule,
    KeysModule,
    PrivacyModule,
    VacanciesModule,
  ],
  providers: [Reach],
  controllers: [
    AttentionController,
    AuditController,
    CandidatesController,
    FilesController,
    InvitationImportsController,
    KeysController,
    TranscriptsController,
    VoicesController,
  ],
})
export class AdminModule {}
