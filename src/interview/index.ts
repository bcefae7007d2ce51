export {
  ConversationEventRepository,
  type PlacedEvent,
} from './transcript/conversation-event.repository';
export { type AnswerStats, AnswerStatsRepository } from './transcript/answer-stats.repository';
export {
  type AnswerStatus,
  AnswerStatusReader,
  type AwaitedReply,
  PendingAnswers,
} from './answer-status.repository';
export {
  ContinuationLinks,
  type Identification,
  InterviewStart,
  OpenLinkInterviews,
} from './interview-start';
export {
  ConversationReader,
  type ConversationReading,
  type ConversationSnapshot,
  type ConversationView,
  type InterviewSubject,
  ConversationViews,
  MAX_PAGE,
  type TranscriptPage,
} from './conversation-reader';
export { type Interviewer, coversRating, disclosureVersion, isOfScript } from './texts/disclosure';
export { LETTER_CODES } from './texts/notices';
export { FILE_ENDINGS } from './files/file-type';
export { FileArchive, FileService } from './files/file.service';
export {
  INTERVIEW_STAGES,
  type InterviewFilter,
  InterviewListRepository,
  type ListedInterview,
} from './interview-list.repository';
export { InterviewClosing } from './closing';
export { RequestedReminders } from './reminders/requested-reminder.worker';
export { WaitingListRepository } from './waiting-list.repository';
export { type InterviewBrief, InterviewBriefRepository } from './interview-brief.repository';
export { InterviewPreviews } from './interview-previews';
export { InterviewModule } from './interview.module';
export { InterviewService } from './interview.service';
export { InterviewTerms } from './interview-terms';
export type { LockedConversation } from './conversation-rules';
export { isCourtesy } from './plan/goodbye';
export { isSkipping, SKIP } from './plan/phrases';
export { type Attachment, RetainedMessages } from './transcript/system-messages';
export { MetadataService } from './metadata/metadata.service';
export { MAX_PERSON_REPLY, Takeovers } from './takeovers';
export { coverageOf, TranscriptService } from './transcript/transcript.service';
export { ReplyReplay } from './reply-requests/reply-replay';
export { StoppedReplies } from './turn/stopping';
export { MAX_VOICE_BYTES, type NewVoice } from './voice/voice.repository';
export { VoiceArchive, VoiceService } from './voice/voice.service';
export { type ConversationRow, ConversationRepository } from './conversation.repository';
export { examineReply } from './turn/reply-check';
export { textIn, textsOfPlan } from './plan/plan-texts';
export { type ZoneHours, ZoneRepository } from './reminders/zone.repository';
export { MESSAGE_LABELS } from './transcript/message-label.repository';
export {
  type TranscriptLine,
  TranscriptLineRepository,
  type TranscriptLinesPage,
} from './transcript/transcript-line.repository';
export type { Author, MessageContext, MessageRow } from './transcript/message.repository';
export { type InterviewState, hasAnswer, progress, readState, waitingQuestion } from './plan/state';
export { MessageRepository } from './transcript/message.repository';

declare module '../common/uow' {
  interface LabelAreas {
    interview:
      | 'answer'
      | 'conversation'
      | 'file'
      | 'interview'
      | 'long_answer'
      | 'metadata'
      | 'outage'
      | 'reminder'
      | 'replay'
      | 'transcript'
      | 'turn'
      | 'voice';
  }
}
