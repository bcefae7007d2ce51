import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { AttentionController } from './attention.controller';

/** Expects global Settings and UnitsOfWork, the ProblemFilter and the BodyPipe. */
@Module({
  imports: [AttentionModule],
  controllers: [AttentionController],
})
export class ConsoleModule {}
