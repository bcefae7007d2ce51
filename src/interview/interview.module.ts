import { Global, Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { BufferModule } from '../buffer';
import { DeliveryModule } from '../delivery';
import { VacanciesModule } from '../vacancies';
import { ChoosingModel, Embedder, KnowledgeModule } from '../knowledge';
import { Embeddings, LlmModule, RerankModel } from '../llm';
import { InterviewRecordsModule } from './interview-records.module';
import { StreamsModule } from '../streams';
import { JobsModule } from '../jobs';
import { ConversationEventRepository } from './transcript/conversation-event.repository';
import { AnswerStatusReader, PendingAnswers } from './answer-status.repository';
import { ContinuationLinks } from './continuation-links';
import { ConversationReader } from './conversation-reader';
import { ConversationViews } from './conversation-view';
import { FileArchive, FileService } from './files/file.service';
import { FileRepository } from './files/file.repository';
import { FileWorker } from './files/file.worker';
import { OpenLinkInterviews } from './interview-start';
import { InterviewService } from './interview.service';
import { RetainedMessages } from './transcript/retained-messages';
import { DeliveryReplay, TurnReplay } from './turn/turn-replay';
import { EarlierAnswers, TurnOpening, SpeakerChoice } from './turn/turn-opening';
import { ModelAttempts } from './turn/model-attempts';
import { PlanProgress, TurnClosing } from './turn/turn-closing';
import { ReplyRequests, ReplyGeneration } from './turn/reply-generation';
import { StopRequests } from './turn/stop-requests';
import { StoppedReplies } from './turn/stopped-replies';
import { SearchRound } from './turn/search-round';
import { LongAnswerWorker } from './turn/long-answer.worker';
import { OutageNotifier } from './turn/outage-notifier';
import { TurnDelivery, TurnEnding } from './turn/turn-ending';
import { TurnWorker } from './turn/turn.worker';
import { FunnelMetrics, TurnMetrics, VoiceMetrics } from './interview.metrics';
import { TurnPrompt } from './prompts/turn-prompt';
import { VoiceDelays, VoiceSettling } from './voice/voice-settling';
import { VoiceArchive, VoiceService } from './voice/voice.service';
import { VoiceRepository } from './voice/voice.repository';
import { InterviewSummaries } from './transcript/interview-summary';
import { TranscriptLineRepository } from './transcript/transcript-line.repository';
import { TranscriptService } from './transcript/transcript.service';
import { VoiceWorker } from './voice/voice.worker';
import { MediaSources } from './voice/media-sources';

/** The models that the search of documents uses: knowledge and llm do not know each other. */
@Global()
@Module({
  imports: [LlmModule],
  providers: [
    { provide: Embedder, useExisting: Embeddings },
    { provide: ChoosingModel, useExisting: RerankModel },
  ],
  exports: [Embedder, ChoosingModel],
})
class KnowledgeModels {}

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
    InterviewRecordsModule,
    StreamsModule,
    JobsModule,
  ],
  providers: [
    PendingAnswers,
    ConversationEventRepository,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    ConversationViews,
    DeliveryReplay,
    EarlierAnswers,
    ModelAttempts,
    PlanProgress,
    ReplyRequests,
    SpeakerChoice,
    FileArchive,
    FileRepository,
    FileService,
    FileWorker,
    InterviewService,
    LongAnswerWorker,
    InterviewSummaries,
    RetainedMessages,
    ReplyGeneration,
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
    PendingAnswers,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    ConversationViews,
    FileArchive,
    InterviewRecordsModule,
    InterviewService,
    RetainedMessages,
    StoppedReplies,
    TranscriptService,
    VoiceArchive,
    MediaSources,
    OpenLinkInterviews,
  ],
})
export class InterviewModule {}
