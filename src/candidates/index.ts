export { type AccountConversation, AccountConversations, isClosed } from './account-conversations';
export { AccountsModule } from './accounts.module';
export { type Candidate, Candidates } from './candidates';
export { type ContinuedOn, Continuations, type FoundContinuation } from './continuations';
export { WebSessions, isSessionToken } from './web-sessions';
