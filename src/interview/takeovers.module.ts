import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { InterviewRecordsModule } from './interview-records.module';
import { SegmentRepository } from '../streams';
import { InterviewStart } from './interview-start';
import { SystemMessages } from './transcript/system-messages';
import { Takeovers } from './takeovers';
import { TurnRepository } from './turn/turn.repository';

const EXPORTS = [InterviewStart, SystemMessages, Takeovers, TurnRepository];

/** Also for commands and the console, which run no interview. Expects what DeliveryModule does. */
@Module({
  imports: [CandidatesModule, DeliveryModule, InterviewRecordsModule],
  // Not the module of the streams: it listens, and a command does not.
  providers: [...EXPORTS, SegmentRepository],
  exports: EXPORTS,
})
export class TakeoversModule {}
