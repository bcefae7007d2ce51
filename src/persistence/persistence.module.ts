import { Module } from '@nestjs/common';
import { AuditRepository } from './repositories/audit-events';
import { MetadataRepository } from './repositories/conversation-metadata-rows';
import { ConversationRepository } from './repositories/conversations';
import { MessagePageRepository } from './repositories/message-pages';
import { MessageRepository } from './repositories/messages';

const REPOSITORIES = [
  AuditRepository,
  MetadataRepository,
  ConversationRepository,
  MessagePageRepository,
  MessageRepository,
];

/** The repositories that several capabilities share. Expects a global Clock. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class PersistenceModule {}
