import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../events/notion-events.module';
import { NotionPagesModule } from '../pages/notion-pages.module';
import { NotionScheduleModule } from '../schedule/notion-schedule.module';
import { AutomationIntake } from './automation-intake';
import { NotionAutomationController } from './automation.controller';
import { EventBatcher } from './event-batcher';
import { EventIntake } from './event-intake';
import { WebhookHealth } from './intake-condition';
import { WebhookGuard } from './intake-door';
import { WebhookMetrics } from './intake-metrics';
import { IntakeStart } from './intake-start';
import { EnrolmentNonce } from './enrolment-nonce';
import { EnrolmentRepository } from './notion-enrolment';
import { OwnBot } from './own-bot';
import { PageChanges } from './page-changes';
import { PageReadWorker } from './page-work';
import { PropertyIdRepository } from './property-ids';
import { EventRepository } from './seen-events';
import { NotionWebhookController } from './webhook.controller';
import { WebhookToken } from './webhook-token';

/** What Notion tells of changes: its webhooks, and the lane that reads the pages. */
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
