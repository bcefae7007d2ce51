export { ColloquyError, type ErrorFields } from './colloquy-error';
export { describeError, stackFrames } from './describe-error';
