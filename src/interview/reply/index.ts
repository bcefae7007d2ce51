export { type ReplyEvent, ReplyReader } from './reply-reader';
