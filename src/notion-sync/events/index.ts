export { EventLane, type EventWork } from './event-lane';
export { NotionEventsModule } from './notion-events.module';
