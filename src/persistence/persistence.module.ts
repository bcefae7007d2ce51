import { Module } from '@nestjs/common';
import { ConversationMetadataRows } from './repositories/conversation-metadata-rows';
import { Conversations } from './repositories/conversations';
import { MessagePages } from './repositories/message-pages';
import { Messages } from './repositories/messages';

const REPOSITORIES = [ConversationMetadataRows, Conversations, MessagePages, Messages];

/** The repositories that several capabilities share. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class PersistenceModule {}
