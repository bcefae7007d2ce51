export { ConversationEventRepository, type PlacedEvent } from './agents/conversation-events';
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
export { FILE_ENDINGS } from './files/file-type';
export { FileArchive, FileArchiveModule } from './files/file-archive';
export { InterviewModule } from './interview.module';
export type { Identification } from './identification';
export { InterviewService } from './interviews';
export type { LockedConversation } from './open-conversation';
export { RetainedMessages } from './kept-lines';
export { ConversationUnknownError } from './errors';
export { MetadataService } from './metadata/conversation-metadata-store';
export { ReviewReplay } from './reviews/review-replay';
export { MAX_PERSON_REPLY, Takeovers } from './takeovers';
export { TakeoversModule } from './takeovers.module';
export { TranscriptService } from './transcripts/transcripts';
export { TranscriptsModule } from './transcripts/transcripts.module';
export { OpenLinkInterviews } from './visits';
export { DeliveryReplay } from './turn/delivery-replay';
export { TurnReplay } from './turn/turn-replay';
export { MAX_VOICE_BYTES, type NewVoice } from './voice/voice';
export { VoiceArchive } from './voice/voice-archive';
export { VoiceArchiveModule } from './voice/voice-archive.module';
export { type FetchedMedia, MediaSources } from './voice/voice-sources';
