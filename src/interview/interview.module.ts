import { Module } from '@nestjs/common';
import { AccountsModule } from '../candidates';
import { AttentionModule } from '../attention';
import { BufferModule, FlushHandler } from '../buffer';
import { DeliverLaneModule, DeliveryModule, DeliverySettled } from '../delivery';
import { HiringModule } from '../vacancies';
import { KnowledgeModule } from '../knowledge';
import { LlmModule } from '../llm';
import { ReviewsModule } from '../notion-sync/reviews';
import { PersistenceModule } from '../persistence';
import { StreamsModule } from '../streams';
import { TasksModule } from '../jobs';
import { ConversationEvents } from './agents';
import { AnswerStandings } from './answer-standings';
import { Answers } from './answers';
import { ContinuationLinks } from './continuation-links';
import { ConversationLooks } from './conversation-looks';
import { ConversationViews } from './conversation-view';
import { FileArchiveModule, FileIntake, FileWorker } from './files';
import { Visits } from './visits';
import { Interviews } from './interviews';
import { KnowledgePortsModule } from './knowledge-ports.module';
import { ConversationMetadataStore } from './metadata';
import { KeptLines } from './kept-lines';
import { ReviewPortsModule } from './reviews';
import { TakeoversModule } from './takeovers.module';
import {
  DeliveryReplay,
  EarlierAnswers,
  ReplyGeneration,
  RunningReplies,
  SearchRound,
  TroubleNotices,
  TurnClosing,
  TurnDelivery,
  TurnEnding,
  TurnFlow,
  TurnMetrics,
  TurnOpening,
  TurnPrompt,
  TurnReplay,
} from './turn';
import {
  VoiceArchiveModule,
  VoiceDelays,
  VoiceIntake,
  VoiceLane,
  VoiceMetrics,
  VoiceSettling,
  VoiceSources,
} from './voice';

/** The interview: its plan, its turns, and what candidates do to it. Knows no channel. */
@Module({
  imports: [
    AccountsModule,
    AttentionModule,
    BufferModule,
    DeliverLaneModule,
    DeliveryModule,
    FileArchiveModule,
    HiringModule,
    KnowledgeModule,
    KnowledgePortsModule,
    LlmModule,
    PersistenceModule,
    ReviewPortsModule,
    ReviewsModule,
    StreamsModule,
    TakeoversModule,
    TasksModule,
    VoiceArchiveModule,
  ],
  providers: [
    Answers,
    ConversationEvents,
    AnswerStandings,
    ContinuationLinks,
    ConversationLooks,
    ConversationMetadataStore,
    ConversationViews,
    DeliveryReplay,
    EarlierAnswers,
    FileIntake,
    FileWorker,
    Interviews,
    KeptLines,
    ReplyGeneration,
    RunningReplies,
    SearchRound,
    TroubleNotices,
    TurnClosing,
    TurnDelivery,
    TurnEnding,
    TurnFlow,
    TurnMetrics,
    TurnOpening,
    TurnPrompt,
    TurnReplay,
    VoiceDelays,
    VoiceIntake,
    VoiceLane,
    VoiceMetrics,
    VoiceSettling,
    VoiceSources,
    Visits,
    { provide: DeliverySettled, useExisting: TurnDelivery },
    { provide: FlushHandler, useExisting: TurnFlow },
  ],
  exports: [
    DeliverySettled,
    FlushHandler,
    Answers,
    AnswerStandings,
    ContinuationLinks,
    ConversationLooks,
    ConversationMetadataStore,
    ConversationViews,
    FileArchiveModule,
    Interviews,
    KeptLines,
    TakeoversModule,
    VoiceSources,
    Visits,
  ],
})
export class InterviewModule {}
