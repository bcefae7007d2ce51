export { BodyPipe } from './body-pipe';
export { type Problem, ProblemError } from './problem';
export { InvalidBodyError, ProblemFilter } from './problem-filter';
