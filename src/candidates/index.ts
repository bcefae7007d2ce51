export {
  type AccountConversation,
  AccountConversationRepository,
  isClosedSql,
} from './account-conversation.repository';
export { CandidatesModule } from './candidates.module';
export {
  type Candidate,
  CandidateRepository,
  knownToNoneButSql,
  soughtSql,
  withNameSql,
} from './candidate.repository';
export { ContinuationRepository, type FoundContinuation } from './continuation.repository';
export { WebSessionRepository, isSessionToken } from './web-session.repository';

declare module '../common/uow' {
  interface LabelAreas {
    candidates: 'candidate' | 'session';
  }
}
