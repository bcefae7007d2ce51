import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { VoiceArchiveModule } from '../interview';
import { AttentionController } from './attention.controller';
import { VoicesController } from './voices.controller';

/** Expects global Settings and UnitsOfWork, the ProblemFilter and the BodyPipe. */
@Module({
  imports: [AttentionModule, VoiceArchiveModule],
  controllers: [AttentionController, VoicesController],
})
export class ConsoleModule {}
