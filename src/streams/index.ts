export { LiveReplies, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-reply';
export { StreamsModule } from './streams.module';
