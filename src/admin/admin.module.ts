import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { InterviewModule } from '../interview';
import { PrivacyModule } from '../privacy';
import { AttentionController } from './attention.controller';
import { CandidatesController } from './candidates.controller';
import { FilesController, VoicesController } from './media.controller';
import { TranscriptsController } from './transcripts.controller';

/** The admin API. Expects global Settings, DomainEvents and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [AttentionModule, InterviewModule, PrivacyModule],
  controllers: [
    AttentionController,
    CandidatesController,
    FilesController,
    TranscriptsController,
    VoicesController,
  ],
})
export class AdminModule {}
