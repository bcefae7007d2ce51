import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { EventLane } from './event-lane';

@Module({ imports: [JobsModule], providers: [EventLane], exports: [EventLane] })
export class NotionEventsModule {}
