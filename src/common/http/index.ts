export { AdminName, AdminTokenGuard } from './admin-token.guard';
export { ApiProblems } from './api-problems';
export { BodyPipe } from './body-pipe';
export { FailedAttempts } from './failed-attempts';
export { answerFrameworkError } from './framework-error';
export { ProblemError } from './problem';
export { ProblemFilter } from './problem-filter';
export { RawBody, limitRawBodies, wantsRawBody } from './raw-body';
export { cutSlowReaders } from './slow-readers';
