import { Module } from '@nestjs/common';
import { NotionApiModule } from './api/notion-api.module';
import { NotionRunModule } from './run/notion-run.module';
import { NotionLaneModule } from './schedule';

/** Notion's boards kept ranked; imported only where a token is set. */
@Module({ imports: [NotionApiModule, NotionLaneModule, NotionRunModule] })
export class NotionSyncModule {}
