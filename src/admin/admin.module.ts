import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import {
  FileArchiveModule,
  TakeoversModule,
  TranscriptsModule,
  VoiceArchiveModule,
} from '../interview';
import { PrivacyModule } from '../privacy';
import { AttentionController } from './attention.controller';
import { CandidatesController } from './candidates.controller';
import { FilesController, VoicesController } from './media.controller';
import { TranscriptsController } from './transcripts.controller';

/** The admin API. Expects global Settings, EventBus and FailedAttempts, ProblemFilter and BodyPipe. */
@Module({
  imports: [
    AttentionModule,
    FileArchiveModule,
    PrivacyModule,
    TakeoversModule,
    TranscriptsModule,
    VoiceArchiveModule,
  ],
  controllers: [
    AttentionController,
    CandidatesController,
    FilesController,
    TranscriptsController,
    VoicesController,
  ],
})
export class AdminModule {}
