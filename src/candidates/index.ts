export {
  type AccountConversation,
  AccountConversationRepository,
  isClosed,
} from './account-conversations';
export { CandidatesModule } from './accounts.module';
export { type Candidate, CandidateRepository } from './candidates';
export { type ContinuedOn, ContinuationRepository, type FoundContinuation } from './continuations';
export { WebSessionRepository, isSessionToken } from './web-sessions';
