export { CandidatesConsoleModule } from './candidates-console.module';
export { ConsoleModule } from './admin.module';
