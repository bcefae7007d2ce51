import { Module } from '@nestjs/common';
import { AuditEvents } from './repositories/audit-events';
import { ConversationMetadataRows } from './repositories/conversation-metadata-rows';
import { Conversations } from './repositories/conversations';
import { MessagePages } from './repositories/message-pages';
import { Messages } from './repositories/messages';

const REPOSITORIES = [AuditEvents, ConversationMetadataRows, Conversations, MessagePages, Messages];

/** The repositories that several capabilities share. Expects a global Clock. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class PersistenceModule {}
