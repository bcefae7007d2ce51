import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../events';
import { NotionPagesModule } from '../pages';
import { NotionScheduleModule } from '../schedule/notion-schedule.module';
import { AutomationIntake } from './automation-intake';
import { NotionAutomationController } from './automation.controller';
import { EventBatcher } from './event-batcher';
import { EventIntake } from './event-intake';
import { IntakeCondition } from './intake-condition';
import { IntakeDoor } from './intake-door';
import { IntakeMetrics } from './intake-metrics';
import { IntakeStart } from './intake-start';
import { EnrolmentNonce } from './enrolment-nonce';
import { NotionEnrolment } from './notion-enrolment';
import { OwnBot } from './own-bot';
import { PageChanges } from './page-changes';
import { PageWork } from './page-work';
import { PropertyIds } from './property-ids';
import { SeenEvents } from './seen-events';
import { NotionWebhookController } from './webhook.controller';
import { WebhookToken } from './webhook-token';

/** What Notion tells of changes: its webhooks, and the lane that reads the pages. */
@Module({
  imports: [
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
    TasksModule,
  ],
  controllers: [NotionWebhookController, NotionAutomationController],
  providers: [
    AutomationIntake,
    EventBatcher,
    EventIntake,
    IntakeCondition,
    IntakeDoor,
    IntakeMetrics,
    IntakeStart,
    EnrolmentNonce,
    NotionEnrolment,
    OwnBot,
    PageChanges,
    PageWork,
    PropertyIds,
    SeenEvents,
    WebhookToken,
  ],
})
export class NotionIntakeModule {}
