import { Module } from '@nestjs/common';
import { ConversationRepository } from './conversation.repository';
import { MetadataRepository } from './metadata/metadata.repository';
import { MessagePageRepository } from './transcript/message-page.repository';
import { MessageRepository } from './transcript/message.repository';

const REPOSITORIES = [
  ConversationRepository,
  MessagePageRepository,
  MessageRepository,
  MetadataRepository,
];

/** The tables of conversations and messages, without anything that runs an interview. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class InterviewRecordsModule {}
