import { Module } from '@nestjs/common';
import { PrivacyModule } from '../privacy';
import { CandidatesController } from './candidates.controller';

/** Expects what the PrivacyModule expects, the ProblemFilter and the BodyPipe. */
@Module({
  imports: [PrivacyModule],
  controllers: [CandidatesController],
})
export class CandidatesConsoleModule {}
