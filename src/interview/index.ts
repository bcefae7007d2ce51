export {
  ConversationEventRepository,
  type PlacedEvent,
} from './transcript/conversation-event.repository';
export {
  type AnswerStatus,
  AnswerStatusReader,
  type AwaitedReply,
} from './answer-status.repository';
export { PendingAnswers } from './answer-status.repository';
export { ContinuationLinks } from './continuation-links';
export { ConversationReader } from './conversation-reader';
export type { ConversationReading, ConversationSnapshot } from './conversation-reader';
export {
  type ConversationView,
  type InterviewSubject,
  ConversationViews,
  MAX_PAGE,
  type TranscriptPage,
} from './conversation-view';
export { FILE_ENDINGS } from './files/file';
export { FileArchive } from './files/file.service';
export { InterviewModule } from './interview.module';
export { DISCLOSURE_VERSION, type Identification, InterviewStart } from './interview-start';
export { InterviewService } from './interview.service';
export type { LockedConversation } from './conversation-rules';
export { RetainedMessages } from './transcript/retained-messages';
export { ConversationUnknownError } from './conversation-rules';
export { MetadataService } from './metadata/metadata.service';
export { MAX_PERSON_REPLY, Takeovers } from './takeovers';
export { TranscriptService } from './transcript/transcript.service';
export { OpenLinkInterviews } from './interview-start';
export { StoppedReplies } from './turn/stopped-replies';
export { DeliveryReplay } from './turn/turn-replay';
export { TurnReplay } from './turn/turn-replay';
export { MAX_VOICE_BYTES, type NewVoice } from './voice/voice';
export { VoiceArchive } from './voice/voice.service';
export { type ConversationRow, ConversationRepository } from './conversation.repository';
export { InterviewRecordsModule } from './interview-records.module';
export { MessagePageRepository } from './transcript/message-page.repository';
export type { MessageRow } from './transcript/message.repository';
