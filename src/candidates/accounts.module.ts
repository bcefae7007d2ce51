import { Module } from '@nestjs/common';
import { AccountConversations } from './account-conversations';
import { Candidates } from './candidates';
import { Continuations } from './continuations';
import { WebSessions } from './web-sessions';

const PROVIDERS = [AccountConversations, Candidates, Continuations, WebSessions];

/** Expects a global Clock. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class AccountsModule {}
