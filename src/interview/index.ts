export { ConversationEventRepository, type PlacedEvent } from './agents';
export { type AnswerStatus, AnswerStatusReader, type AwaitedReply } from './answer-standings';
export { Answers } from './answers';
export { ContinuationLinks } from './continuation-links';
export { ConversationReader } from './conversation-looks';
export type { ConversationSnapshot } from './conversation-moment';
export {
  type ConversationView,
  ConversationViews,
  MAX_PAGE,
  type TranscriptPage,
} from './conversation-view';
export { FILE_ENDINGS, FileArchive, FileArchiveModule } from './files';
export { InterviewModule } from './interview.module';
export type { Identification } from './identification';
export { InterviewService } from './interviews';
export type { LockedConversation } from './open-conversation';
export { RetainedMessages } from './kept-lines';
export { ConversationUnknownError } from './errors';
export { MetadataService } from './metadata';
export { ReviewReplay } from './reviews';
export { MAX_PERSON_REPLY, Takeovers } from './takeovers';
export { TakeoversModule } from './takeovers.module';
export { TranscriptService, TranscriptsModule } from './transcripts';
export { OpenLinkInterviews } from './visits';
export { DeliveryReplay, TurnReplay } from './turn';
export {
  MAX_VOICE_BYTES,
  type NewVoice,
  VoiceArchive,
  VoiceArchiveModule,
  type FetchedMedia,
  MediaSources,
} from './voice';
