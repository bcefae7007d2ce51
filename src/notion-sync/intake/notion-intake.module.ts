import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../sync/notion-events.module';
import { NotionPagesModule } from '../sync/notion-pages.module';
import { NotionScheduleModule } from '../sync/notion-schedule.module';
import { AutomationIntake, NotionAutomationController } from './automation.controller';
import { EventBatcher } from './event-batcher';
import { EventIntake, IntakeStart, OwnBot } from './event-intake';
import { WebhookHealth, WebhookMetrics } from './webhook-health';
import { WebhookGuard } from './webhook-guard';
import { EnrolmentNonce, WebhookToken } from './webhook-token';
import { EnrolmentRepository } from './enrolment.repository';
import { PageChanges } from './page-changes';
import { PageReadWorker } from './page-read.worker';
import { PropertyIdRepository, EventRepository } from './event.repository';
import { NotionWebhookController } from './webhook.controller';

/** What Notion tells of changes: its webhooks, and the queue that reads the pages. */
@Module({
  imports: [
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
    JobsModule,
  ],
  controllers: [NotionWebhookController, NotionAutomationController],
  providers: [
    AutomationIntake,
    EventBatcher,
    EventIntake,
    WebhookHealth,
    WebhookGuard,
    WebhookMetrics,
    IntakeStart,
    EnrolmentNonce,
    EnrolmentRepository,
    OwnBot,
    PageChanges,
    PageReadWorker,
    PropertyIdRepository,
    EventRepository,
    WebhookToken,
  ],
})
export class NotionIntakeModule {}
