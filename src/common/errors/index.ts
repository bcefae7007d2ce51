export { ColloquyError, type ErrorFields } from './colloquy-error';
