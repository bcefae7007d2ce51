import { Module } from '@nestjs/common';
import { TasksModule } from '../../tasks';
import { EventLane } from './event-lane';

@Module({ imports: [TasksModule], providers: [EventLane], exports: [EventLane] })
export class NotionEventsModule {}
