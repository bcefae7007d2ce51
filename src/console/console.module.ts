import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { TakeoversModule, TranscriptsModule, VoiceArchiveModule } from '../interview';
import { PersistenceModule } from '../persistence';
import { AttentionController } from './attention.controller';
import { TranscriptsController } from './transcripts.controller';
import { VoicesController } from './voices.controller';

/** Expects global Settings and UnitsOfWork, the ProblemFilter and the BodyPipe. */
@Module({
  imports: [
    AttentionModule,
    PersistenceModule,
    TakeoversModule,
    TranscriptsModule,
    VoiceArchiveModule,
  ],
  controllers: [AttentionController, TranscriptsController, VoicesController],
})
export class ConsoleModule {}
