export { ConversationEvents, type PlacedEvent } from './agents';
export { type AnswerStanding, AnswerStandings, type WaitedFor } from './answer-standings';
export { Answers } from './answers';
export { ContinuationLinks } from './continuation-links';
export { ConversationLooks } from './conversation-looks';
export type { ConversationMoment } from './conversation-moment';
export {
  type ConversationView,
  ConversationViews,
  MAX_PAGE,
  type TranscriptPage,
} from './conversation-view';
export { FILE_ENDINGS, FileArchive, FileArchiveModule } from './files';
export { InterviewModule } from './interview.module';
export type { Identification } from './identification';
export { Interviews } from './interviews';
export type { HeldConversation } from './open-conversation';
export { KeptLines } from './kept-lines';
export { ConversationUnknownError } from './errors';
export { ConversationMetadataStore } from './metadata';
export { ReviewReplay } from './reviews';
export { MAX_PERSON_REPLY, Takeovers } from './takeovers';
export { TakeoversModule } from './takeovers.module';
export { Transcripts, TranscriptsModule } from './transcripts';
export { Visits } from './visits';
export { DeliveryReplay, TurnReplay } from './turn';
export {
  MAX_VOICE_BYTES,
  type NewVoice,
  VoiceArchive,
  VoiceArchiveModule,
  type VoiceFetch,
  VoiceSources,
} from './voice';
