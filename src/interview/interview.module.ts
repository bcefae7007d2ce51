import { Module } from '@nestjs/common';
import { BufferModule } from '../buffer';
import { CandidatesModule } from '../candidates';
import { DeliveryModule } from '../delivery';
import { JobsModule } from '../jobs';
import { KnowledgeModule } from '../knowledge';
import { LlmModule } from '../llm';
import { StreamsModule } from '../streams';
import { OpenLinksModule, VacanciesModule } from '../vacancies';
import {
  AnswerStatusReader,
  PendingAnswers,
  AnswerWithoutReplyRepository,
} from './answer-status.repository';
import { ContinuationLinks, InterviewStart, OpenLinkInterviews } from './interview-start';
import { ConversationReader, ConversationViews } from './conversation-reader';
import { ConversationRepository } from './conversation.repository';
import { FileRepository } from './files/file.repository';
import { FileArchive, FileService } from './files/file.service';
import { FileWorker } from './files/file.worker';
import { FunnelMetrics, TurnMetrics } from './interview.metrics';
import { InterviewBriefRepository } from './interview-brief.repository';
import { InterviewListRepository } from './interview-list.repository';
import { InterviewClosing } from './closing';
import { ClosingRepository } from './closing.repository';
import { WaitingListRepository } from './waiting-list.repository';
import { InterviewPreviews } from './interview-previews';
import { InterviewService } from './interview.service';
import { InterviewTerms } from './interview-terms';
import { MetadataRepository } from './metadata/metadata.repository';
import { MetadataService } from './metadata/metadata.service';
import { TurnPrompt } from './prompts/turn-prompt';
import { Takeovers } from './takeovers';
import { Reminders, ReminderWorker } from './reminders/reminder.worker';
import { RequestedReminders, RequestedReminderWorker } from './reminders/requested-reminder.worker';
import { ReturnTerms } from './reminders/coming-back';
import { HeldReminders } from './reminders/held-reminders';
import { SilenceRepository } from './reminders/silence.repository';
import { ZoneRepository } from './reminders/zone.repository';
import { AnswerStatsRepository } from './transcript/answer-stats.repository';
import { ConversationEventRepository } from './transcript/conversation-event.repository';
import { InterviewSummaries, TranscriptService } from './transcript/transcript.service';
import { MessageLabelRepository } from './transcript/message-label.repository';
import { MessagePageRepository } from './transcript/message-page.repository';
import { MessageRepository } from './transcript/message.repository';
import { RetainedMessages, SystemMessages } from './transcript/system-messages';
import { TranscriptLineRepository } from './transcript/transcript-line.repository';
import { LongAnswerWorker } from './turn/long-answer.worker';
import { ModelAttempts, SearchRound } from './turn/model-requests';
import { ReplyRequests, ReplyGeneration } from './turn/reply-generation';
import { ReplyReplay } from './reply-requests/reply-replay';
import { ReplyRequestRepository } from './reply-requests/reply-request.repository';
import { StopRequests, StoppedReplies } from './turn/stopping';
import { PlanProgress } from './turn/plan-progress';
import { TurnClosing } from './turn/turn-closing';
import { OutageNotifier, TurnDelivery, TurnEnding } from './turn/turn-ending';
import { EarlierAnswers } from './turn/earlier-answers';
import { TurnOpening } from './turn/turn-opening';
import { SpeakerChoice } from './turn/speaker-choice';
import { TurnReplay, TurnWorker } from './turn/turn.worker';
import { TurnRepository } from './turn/turn.repository';
import { MediaSources } from './voice/media-sources';
import { VoiceDelays, VoiceSettling } from './voice/voice-settling';
import { VoiceMetrics } from './voice/voice.metrics';
import { VoiceRepository } from './voice/voice.repository';
import { VoiceArchive, VoiceService } from './voice/voice.service';
import { VoiceWorker } from './voice/voice.worker';
import { KnowledgeModels } from './knowledge-models';

/** The interview: its plan, its turns, and what candidates do to it. Knows no channel. */
@Module({
  imports: [
    CandidatesModule,
    BufferModule,
    DeliveryModule,
    VacanciesModule,
    KnowledgeModels,
    KnowledgeModule,
    LlmModule,
    OpenLinksModule,
    StreamsModule,
    JobsModule,
  ],
  providers: [
    ConversationRepository,
    InterviewStart,
    MessageLabelRepository,
    MessagePageRepository,
    MessageRepository,
    MetadataRepository,
    MetadataService,
    Reminders,
    SystemMessages,
    Takeovers,
    TurnRepository,
    AnswerWithoutReplyRepository,
    AnswerStatsRepository,
    ReplyReplay,
    PendingAnswers,
    ConversationEventRepository,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    ConversationViews,
    EarlierAnswers,
    ModelAttempts,
    PlanProgress,
    ReplyRequestRepository,
    ReplyRequests,
    SpeakerChoice,
    FileArchive,
    FileRepository,
    FileService,
    FileWorker,
    ClosingRepository,
    InterviewClosing,
    RequestedReminders,
    RequestedReminderWorker,
    WaitingListRepository,
    InterviewBriefRepository,
    InterviewListRepository,
    InterviewPreviews,
    InterviewService,
    InterviewTerms,
    LongAnswerWorker,
    InterviewSummaries,
    HeldReminders,
    ReminderWorker,
    ReturnTerms,
    RetainedMessages,
    ReplyGeneration,
    SilenceRepository,
    ZoneRepository,
    StopRequests,
    StoppedReplies,
    SearchRound,
    OutageNotifier,
    TurnClosing,
    TurnDelivery,
    TurnEnding,
    TurnWorker,
    TurnMetrics,
    TurnOpening,
    TurnPrompt,
    TranscriptLineRepository,
    TranscriptService,
    TurnReplay,
    VoiceDelays,
    VoiceArchive,
    VoiceRepository,
    VoiceService,
    VoiceWorker,
    VoiceMetrics,
    FunnelMetrics,
    VoiceSettling,
    MediaSources,
    OpenLinkInterviews,
  ],
  exports: [
    ConversationRepository,
    InterviewStart,
    MessageRepository,
    MetadataService,
    Takeovers,
    PendingAnswers,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    ConversationViews,
    BufferModule,
    FileArchive,
    FileService,
    InterviewClosing,
    InterviewBriefRepository,
    InterviewListRepository,
    RequestedReminders,
    WaitingListRepository,
    InterviewPreviews,
    InterviewService,
    InterviewTerms,
    RetainedMessages,
    StoppedReplies,
    TranscriptService,
    VoiceArchive,
    VoiceService,
    MediaSources,
    OpenLinkInterviews,
  ],
})
export class InterviewModule {}
