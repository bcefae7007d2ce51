import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { LimiterAlarm } from './api/limiter/limiter-health';
import { AutomationIntake, NotionAutomationController } from './intake/automation.controller';
import { EventBatcher } from './intake/event-batcher';
import { EventIntake, IntakeStart } from './intake/event-intake';
import { OwnBot } from './intake/own-bot';
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
import { BoardGate } from './sync/board-gate';
import { BoardRunner } from './sync/board-runner';
import { BoardSweep } from './sync/board-sweep';
import { BoardScanWorker } from './sync/board-scan.worker';
import { ScanReports } from './sync/scan-reports';
import { BoardWriter } from './sync/board-writer';
import { BoardWorker } from './sync/board.worker';
import { PageReadRepository, PageRepository } from './sync/page.repository';
import { ReadAhead } from './sync/read-ahead';
import { NotionReplaysModule } from './sync/replays';
import { SweepRepository } from './sync/sweep.repository';
import { NotionBoardsModule } from './notion-boards.module';

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
