import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { InterviewModule } from '../interview';
import { InvitationsModule } from '../invitations';
import { PrivacyModule } from '../privacy';
import { AttentionController } from './attention.controller';
import { CandidatesController } from './candidates.controller';
import { InvitationImportsController } from './invitation-imports.controller';
import { FilesController, VoicesController } from './media.controller';
import { TranscriptsController } from './transcripts.controller';

/** The admin API. Expects global Settings, DomainEvents and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [AttentionModule, InterviewModule, InvitationsModule, PrivacyModule],
  controllers: [
    AttentionController,
    CandidatesController,
    FilesController,
    InvitationImportsController,
    TranscriptsController,
    VoicesController,
  ],
})
export class AdminModule {}
