import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import {
  FileArchiveModule,
  TakeoversModule,
  TranscriptsModule,
  VoiceArchiveModule,
} from '../interview';
import { PersonalDataModule } from '../privacy';
import { AttentionController } from './attention.controller';
import { FilesController, VoicesController } from './media.controller';
import { TranscriptsController } from './transcripts.controller';

/** Expects global Settings and UnitOfWorkFactory, the ProblemFilter and the BodyPipe. */
@Module({
  imports: [
    AttentionModule,
    FileArchiveModule,
    PersonalDataModule,
    TakeoversModule,
    TranscriptsModule,
    VoiceArchiveModule,
  ],
  controllers: [AttentionController, FilesController, TranscriptsController, VoicesController],
})
export class ConsoleModule {}
