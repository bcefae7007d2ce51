import { Module } from '@nestjs/common';
import { AccountConversationRepository } from './account-conversations';
import { CandidateRepository } from './candidates';
import { ContinuationRepository } from './continuations';
import { WebSessionRepository } from './web-sessions';

const PROVIDERS = [
  AccountConversationRepository,
  CandidateRepository,
  ContinuationRepository,
  WebSessionRepository,
];

/** Expects a global Clock. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CandidatesModule {}
