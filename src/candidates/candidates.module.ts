import { Module } from '@nestjs/common';
import { AccountConversationRepository } from './account-conversation.repository';
import { CandidateRepository } from './candidate.repository';
import { ContinuationRepository } from './continuation.repository';
import { WebSessionRepository } from './web-session.repository';

const PROVIDERS = [
  AccountConversationRepository,
  CandidateRepository,
  ContinuationRepository,
  WebSessionRepository,
];

/** Expects a global Clock. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CandidatesModule {}
