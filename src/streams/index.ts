export { LiveReplies, type ReplyObserver, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-replies';
export { NoticeWithCommit } from './reply-broadcast';
export { ReplyMirrors } from './reply-mirrors';
export { type ReplyPart, partsOf } from './live-replies';
export { eventsOfTurn, SegmentRepository } from './segment.repository';
export { StreamsModule } from './streams.module';
