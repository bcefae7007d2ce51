import { Module } from '@nestjs/common';
import { CandidatesModule } from '../candidates';
import { AttentionModule } from '../attention';
import { BufferModule, FlushHandler } from '../buffer';
import { DeliverLaneModule, DeliveryModule, DeliverySettled } from '../delivery';
import { VacanciesModule } from '../vacancies';
import { KnowledgeModule } from '../knowledge';
import { LlmModule } from '../llm';
import { ReviewRequestsModule } from '../notion-sync/reviews';
import { PersistenceModule } from '../persistence';
import { StreamsModule } from '../streams';
import { JobsModule } from '../jobs';
import { ConversationEventRepository } from './agents';
import { AnswerStatusReader } from './answer-standings';
import { Answers } from './answers';
import { ContinuationLinks } from './continuation-links';
import { ConversationReader } from './conversation-looks';
import { ConversationViews } from './conversation-view';
import { FileArchiveModule, FileService, FileWorker } from './files';
import { OpenLinkInterviews } from './visits';
import { InterviewService } from './interviews';
import { KnowledgePortsModule } from './knowledge-ports.module';
import { MetadataService } from './metadata';
import { RetainedMessages } from './kept-lines';
import { ReviewPortsModule } from './reviews';
import { TakeoversModule } from './takeovers.module';
import {
  DeliveryReplay,
  EarlierAnswers,
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
} from './turn';
import {
  VoiceArchiveModule,
  VoiceDelays,
  VoiceService,
  VoiceWorker,
  VoiceMetrics,
  VoiceSettling,
  MediaSources,
} from './voice';

/** The interview: its plan, its turns, and what candidates do to it. Knows no channel. */
@Module({
  imports: [
    CandidatesModule,
    AttentionModule,
    BufferModule,
    DeliverLaneModule,
    DeliveryModule,
    FileArchiveModule,
    VacanciesModule,
    KnowledgeModule,
    KnowledgePortsModule,
    LlmModule,
    PersistenceModule,
    ReviewPortsModule,
    ReviewRequestsModule,
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
    { provide: DeliverySettled, useExisting: TurnDelivery },
    { provide: FlushHandler, useExisting: TurnWorker },
  ],
  exports: [
    DeliverySettled,
    FlushHandler,
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
