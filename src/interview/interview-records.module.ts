import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { SegmentRepository } from '../streams';
import { ConversationRepository } from './conversation.repository';
import { InterviewStart } from './interview-start';
import { MetadataRepository } from './metadata/metadata.repository';
import { MetadataService } from './metadata/metadata.service';
import { MessagePageRepository } from './transcript/message-page.repository';
import { MessageRepository } from './transcript/message.repository';
import { SystemMessages } from './transcript/system-messages';
import { Takeovers } from './takeovers';
import { TurnRepository } from './turn/turn.repository';
import { UnansweredRepository } from './turn/unanswered.repository';

const EXPORTS = [
  ConversationRepository,
  InterviewStart,
  MessagePageRepository,
  MessageRepository,
  MetadataRepository,
  MetadataService,
  SystemMessages,
  Takeovers,
  TurnRepository,
  UnansweredRepository,
];

/**
 * Conversations and messages, and what people do to an interview from outside. Nothing here runs an
 * interview, so commands use it too.
 */
@Module({
  imports: [CandidatesModule, DeliveryModule],
  // Not the module of the streams: it listens, and a command does not.
  providers: [...EXPORTS, SegmentRepository],
  exports: EXPORTS,
})
export class InterviewRecordsModule {}
