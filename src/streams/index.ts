export { LiveReplies, type ReplyObserver, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-replies';
export { NoticeWithCommit } from './reply-broadcast';
export { ReplyMirrors } from './reply-mirrors';
export { type ReplyPart, eventsOfTurn, partsOf } from './live-replies';
export { SegmentRepository } from './segment.repository';
export { StreamsModule } from './streams.module';
