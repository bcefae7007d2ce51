import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionEventWorker } from './event-queue';

@Module({ imports: [JobsModule], providers: [NotionEventWorker], exports: [NotionEventWorker] })
export class NotionEventsModule {}
