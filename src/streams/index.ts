export { LiveReplies, type ReplyObserver, type StreamSignal } from './live-replies';
export { LiveReply, type LiveReplyOrigin, type StoredReply } from './live-replies';
export { ReplyMirrors } from './reply-mirrors';
export { type QuestionMark, type ReplyPart, partsOf, questionPart } from './live-replies';
export { eventsOfTurn, QUESTION_OF_MESSAGE, SegmentRepository } from './segment.repository';
export { keyOf, TeamFeed, type TeamListener, type TeamNews } from './team-feed';
export { TeamPresence } from './team-presence';
export { StreamsModule } from './streams.module';
export { TypingSigns } from './typing-signs';

declare module '../common/uow' {
  interface LabelAreas {
    streams: 'stream';
  }
}
