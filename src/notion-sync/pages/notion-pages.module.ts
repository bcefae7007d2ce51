import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { NotionPages } from './notion-pages';
import { PageReads } from './page-reads';

@Module({
  imports: [TasksModule],
  providers: [NotionPages, PageReads],
  exports: [NotionPages, PageReads],
})
export class NotionPagesModule {}
