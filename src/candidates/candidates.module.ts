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

/** Candidates, their accounts, sessions and continuations. Expects global Clock and Settings. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class CandidatesModule {}
