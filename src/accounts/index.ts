export { AccountsModule } from './accounts.module';
export { type Candidate, Candidates } from './candidates';
export { WebSessions } from './web-sessions';
