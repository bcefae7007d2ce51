export { LiveReplies, type ReplicaObserver, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-reply';
export { tellWithCommit } from './notice';
export { ReplyMirrors } from './reply-mirrors';
export { type ReplyPart, eventsOfTurn, partsOf } from './reply-part';
export { Segments } from './segments';
export { StreamsModule } from './streams.module';
