import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { BufferModule } from '../buffer';
import { DeliveryModule } from '../delivery';
import { VacanciesModule } from '../vacancies';
import { KnowledgeModule } from '../knowledge';
import { LlmModule } from '../llm';
import { InterviewRecordsModule } from './interview-records.module';
import { StreamsModule } from '../streams';
import { JobsModule } from '../jobs';
import { ConversationEventRepository } from './transcript/conversation-event.repository';
import { AnswerStatusReader, Answers } from './answer-status.repository';
import { ContinuationLinks } from './continuation-links';
import { ConversationReader } from './conversation-reader';
import { ConversationViews } from './conversation-view';
import { FileArchiveModule, FileService } from './files/file.service';
import { FileWorker } from './files/file.worker';
import { OpenLinkInterviews } from './interview-start';
import { InterviewService } from './interview.service';
import { KnowledgePortsModule } from './knowledge-ports.module';
import { MetadataService } from './metadata/metadata.service';
import { RetainedMessages } from './transcript/retained-messages';
import { ReviewPortsModule } from './transcript/review-ports.module';
import { TakeoversModule } from './takeovers.module';
import { DeliveryReplay, TurnReplay } from './turn/turn-replay';
import { EarlierAnswers, TurnOpening } from './turn/turn-opening';
import { ReplyGeneration } from './turn/reply-generation';
import { StopRequests } from './turn/stop-requests';
import { SearchRound } from './turn/search-round';
import { OutageNotifier } from './turn/outage-notifier';
import { TurnClosing } from './turn/turn-closing';
import { TurnDelivery, TurnEnding } from './turn/turn-ending';
import { TurnWorker } from './turn/turn.worker';
import { TurnMetrics, VoiceMetrics } from './interview.metrics';
import { TurnPrompt } from './prompts/turn-prompt';
import { VoiceArchiveModule } from './voice/voice.service';
import { VoiceDelays, VoiceSettling } from './voice/voice-settling';
import { VoiceService } from './voice/voice.service';
import { VoiceWorker } from './voice/voice.worker';
import { MediaSources } from './voice/media-sources';

/** The interview: its plan, its turns, and what candidates do to it. Knows no channel. */
@Module({
  imports: [
    CandidatesModule,
    BufferModule,
    DeliveryModule,
    FileArchiveModule,
    VacanciesModule,
    KnowledgeModule,
    KnowledgePortsModule,
    LlmModule,
    InterviewRecordsModule,
    ReviewPortsModule,
    StreamsModule,
    TakeoversModule,
    JobsModule,
    VoiceArchiveModule,
  ],
  providers: [
    Answers,
    ConversationEventRepository,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    MetadataService,
    ConversationViews,
    DeliveryReplay,
    EarlierAnswers,
    FileService,
    FileWorker,
    InterviewService,
    RetainedMessages,
    ReplyGeneration,
    StopRequests,
    SearchRound,
    OutageNotifier,
    TurnClosing,
    TurnDelivery,
    TurnEnding,
    TurnWorker,
    TurnMetrics,
    TurnOpening,
    TurnPrompt,
    TurnReplay,
    VoiceDelays,
    VoiceService,
    VoiceWorker,
    VoiceMetrics,
    VoiceSettling,
    MediaSources,
    OpenLinkInterviews,
  ],
  exports: [
    Answers,
    AnswerStatusReader,
    ContinuationLinks,
    ConversationReader,
    MetadataService,
    ConversationViews,
    FileArchiveModule,
    InterviewService,
    RetainedMessages,
    TakeoversModule,
    MediaSources,
    OpenLinkInterviews,
  ],
})
export class InterviewModule {}
