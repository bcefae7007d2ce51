import { Module } from '@nestjs/common';
import { Conversations } from './repositories/conversations';
import { Messages } from './repositories/messages';

const REPOSITORIES = [Conversations, Messages];

/** The repositories that several capabilities share. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class PersistenceModule {}
