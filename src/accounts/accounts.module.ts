import { Module } from '@nestjs/common';
import { Candidates } from './candidates';
import { WebSessions } from './web-sessions';

const PROVIDERS = [Candidates, WebSessions];

/** Expects a global Clock. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class AccountsModule {}
