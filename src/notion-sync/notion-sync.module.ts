import { Module } from '@nestjs/common';
import { NotionApiModule } from './api/notion-api.module';

/** Notion's boards kept ranked; imported only where a token is set. */
@Module({ imports: [NotionApiModule] })
export class NotionSyncModule {}
