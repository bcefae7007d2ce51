export { LiveReplies, type ReplyObserver, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-reply';
export { tellWithCommit } from './notice';
export { ReplyMirrors } from './reply-mirrors';
export { type ReplyPart, eventsOfTurn, partsOf } from './reply-part';
export { SegmentRepository } from './segments';
export { StreamsModule } from './streams.module';
