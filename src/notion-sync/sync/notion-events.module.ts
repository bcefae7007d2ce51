import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionEventWorker } from './event.worker';

@Module({ imports: [JobsModule], providers: [NotionEventWorker], exports: [NotionEventWorker] })
export class NotionEventsModule {}
