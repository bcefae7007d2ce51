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
import { ConversationEventRepository } from './agents/conversation-events';
import { AnswerStatusReader } from './answer-standings';
import { Answers } from './answers';
import { ContinuationLinks } from './continuation-links';
import { ConversationReader } from './conversation-looks';
import { ConversationViews } from './conversation-view';
import { FileArchiveModule } from './files/file-archive';
import { FileService } from './files/file-intake';
import { FileWorker } from './files/file-worker';
import { OpenLinkInterviews } from './visits';
import { InterviewService } from './interviews';
import { KnowledgePortsModule } from './knowledge-ports.module';
import { MetadataService } from './metadata/conversation-metadata-store';
import { RetainedMessages } from './kept-lines';
import { ReviewPortsModule } from './reviews/review-ports.module';
import { TakeoversModule } from './takeovers.module';
import { DeliveryReplay } from './turn/delivery-replay';
import { EarlierAnswers } from './turn/earlier-answers';
import { ReplyGeneration } from './turn/reply-generation';
import { StopRequests } from './turn/running-replies';
import { SearchRound } from './turn/search-round';
import { OutageNotifier } from './turn/trouble-notices';
import { TurnClosing } from './turn/turn-closing';
import { TurnDelivery } from './turn/turn-delivery';
import { TurnEnding } from './turn/turn-ending';
import { TurnWorker } from './turn/turn-flow';
import { TurnMetrics } from './turn/turn-metrics';
import { TurnOpening } from './turn/turn-opening';
import { TurnPrompt } from './turn/turn-prompt';
import { TurnReplay } from './turn/turn-replay';
import { VoiceArchiveModule } from './voice/voice-archive.module';
import { VoiceDelays } from './voice/voice-delays';
import { VoiceService } from './voice/voice-intake';
import { VoiceWorker } from './voice/voice-lane';
import { VoiceMetrics } from './voice/voice-metrics';
import { VoiceSettling } from './voice/voice-settling';
import { MediaSources } from './voice/voice-sources';

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
