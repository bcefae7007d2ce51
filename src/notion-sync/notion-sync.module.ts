import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { LimiterAlarm, LimiterHealth, LimiterMetrics } from './api/limiter/limiter-health';
import { LimiterRepository } from './api/limiter/limiter.repository';
import { NotionLimiter } from './api/limiter/notion-limiter';
import { NotionApi } from './api/notion-api';
import { NotionRetries } from './api/notion-calls';
import { NotionClient } from './api/notion-client';
import { NotionHealth, NotionMetrics } from './api/notion-health';
import { BoardInspection, People } from './doctor/board-inspection';
import { NotionDoctor } from './doctor/doctor';
import { AutomationIntake, NotionAutomationController } from './intake/automation.controller';
import { EnrolmentRepository } from './intake/enrolment.repository';
import { EventBatcher } from './intake/event-batcher';
import { EventIntake, IntakeStart, OwnBot } from './intake/event-intake';
import { EventRepository, PropertyIdRepository } from './intake/event.repository';
import { PageChanges } from './intake/page-changes';
import { PageReadWorker } from './intake/page-read.worker';
import { WebhookGuard } from './intake/webhook-guard';
import { WebhookHealth, WebhookMetrics } from './intake/webhook-health';
import { EnrolmentNonce, WebhookToken } from './intake/webhook-token';
import { NotionWebhookController } from './intake/webhook.controller';
import { ReviewCalls } from './reviews/review-calls';
import { ReviewRemovalWorker } from './reviews/review-removal.worker';
import { ReviewRequestsModule } from './reviews/review-requests';
import { ReviewWorker } from './reviews/review.worker';
import { BoardGate, BoardRunner } from './sync/board-runner';
import { BoardHealth } from './sync/board-health';
import { BoardReader, BoardSchemas } from './sync/board-reader';
import { BoardSweep } from './sync/board-sweep';
import { BoardScanWorker, ScanReports } from './sync/board-scan.worker';
import { BoardWriter } from './sync/board-writer';
import { BoardWorker } from './sync/board.worker';
import { PageReadRepository, PageRepository } from './sync/page.repository';
import { ReadAhead } from './sync/read-ahead';
import { NotionReplaysModule } from './sync/replays';
import { ScheduleRepository } from './sync/schedule.repository';
import { SweepRepository } from './sync/sweep.repository';

/**
 * Calls Notion under its rate limit, and reads and inspects boards: for the application and for
 * commands, whose calls wait for the same permits. Nothing here runs by itself. Expects global Clock,
 * Settings, Metrics, UnitOfWorkFactory and PeerHealth; imported only where NOTION_TOKEN is set.
 */
@Module({
  providers: [
    // api: calls and their limits
    LimiterHealth,
    LimiterMetrics,
    LimiterRepository,
    NotionApi,
    NotionClient,
    NotionHealth,
    NotionLimiter,
    NotionMetrics,
    NotionRetries,
    // boards: what a run reads, and what an operator asks about them
    BoardHealth,
    BoardInspection,
    BoardReader,
    BoardSchemas,
    EnrolmentRepository,
    NotionDoctor,
    People,
    ScheduleRepository,
  ],
  exports: [
    BoardHealth,
    BoardInspection,
    BoardReader,
    BoardSchemas,
    EnrolmentRepository,
    LimiterHealth,
    NotionApi,
    NotionDoctor,
    NotionLimiter,
    NotionRetries,
    ScheduleRepository,
  ],
})
export class NotionBoardsModule {}

/** Keeps the boards in Notion ranked, and shows finished interviews there. Loaded only with a token. */
@Module({
  imports: [JobsModule, NotionBoardsModule, NotionReplaysModule, ReviewRequestsModule],
  controllers: [NotionWebhookController, NotionAutomationController],
  providers: [
    LimiterAlarm,
    // intake: webhooks, and the queue that reads the pages they name
    AutomationIntake,
    EnrolmentNonce,
    EventBatcher,
    EventIntake,
    EventRepository,
    IntakeStart,
    OwnBot,
    PageChanges,
    PageReadWorker,
    PropertyIdRepository,
    WebhookGuard,
    WebhookHealth,
    WebhookMetrics,
    WebhookToken,
    // sync: which boards are ranked, and their ranking
    BoardGate,
    BoardRunner,
    BoardSweep,
    BoardScanWorker,
    ScanReports,
    BoardWorker,
    BoardWriter,
    PageReadRepository,
    PageRepository,
    ReadAhead,
    SweepRepository,
    // reviews: pages of finished interviews
    ReviewCalls,
    ReviewRemovalWorker,
    ReviewWorker,
  ],
})
export class NotionSyncModule {}
