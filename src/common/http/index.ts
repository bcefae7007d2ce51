export { ApiProblems } from './api-problems';
export { BodyPipe } from './body-pipe';
export { answerFrameworkError } from './framework-error';
export { type Problem, ProblemError } from './problem';
export { InvalidBodyError, ProblemFilter } from './problem-filter';
