export { ColloquyError, type ErrorFields } from './colloquy-error';
export { describeError, stackFrames, withoutQuotes } from './describe-error';
