import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { EventLane } from './event-lane';

@Module({ imports: [TasksModule], providers: [EventLane], exports: [EventLane] })
export class NotionEventsModule {}
