import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { AttentionModule } from '../attention';
import { BufferModule, FlushHandler } from '../buffer';
import { DeliveryModule } from '../delivery';
import { HiringModule } from '../hiring';
import { KnowledgeModule } from '../knowledge';
import { LlmModule } from '../llm';
import { PersistenceModule } from '../persistence';
import { StreamsModule } from '../streams';
import { TasksModule } from '../tasks';
import { ConversationEvents } from './agents';
import { AnswerStandings } from './answer-standings';
import { Answers } from './answers';
import { ConversationLooks } from './conversation-looks';
import { ConversationViews } from './conversation-view';
import { Interviews } from './interviews';
import { KnowledgePortsModule } from './knowledge-ports.module';
import { ConversationMetadataStore } from './metadata';
import {
  EarlierAnswers,
  ReplyGeneration,
  RunningReplies,
  SearchRound,
  TroubleNotices,
  TurnClosing,
  TurnEnding,
  TurnFlow,
  TurnMetrics,
  TurnOpening,
  TurnPrompt,
  TurnReplay,
  TurnTable,
} from './turn';

/** The interview: its plan, its turns, and what candidates do to it. Knows no channel. */
@Module({
  imports: [
    AccountsModule,
    AttentionModule,
    BufferModule,
    DeliveryModule,
    HiringModule,
    KnowledgeModule,
    KnowledgePortsModule,
    LlmModule,
    PersistenceModule,
    StreamsModule,
    TasksModule,
  ],
  providers: [
    Answers,
    ConversationEvents,
    AnswerStandings,
    ConversationLooks,
    ConversationMetadataStore,
    ConversationViews,
    EarlierAnswers,
    Interviews,
    ReplyGeneration,
    RunningReplies,
    SearchRound,
    TroubleNotices,
    TurnClosing,
    TurnEnding,
    TurnFlow,
    TurnMetrics,
    TurnOpening,
    TurnPrompt,
    TurnReplay,
    TurnTable,
    { provide: FlushHandler, useExisting: TurnFlow },
  ],
  exports: [
    FlushHandler,
    Answers,
    AnswerStandings,
    ConversationLooks,
    ConversationMetadataStore,
    ConversationViews,
    Interviews,
  ],
})
export class InterviewModule {}
