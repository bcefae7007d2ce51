import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { PageRepository } from './notion-pages';
import { PageReadRepository } from './page-reads';

@Module({
  imports: [JobsModule],
  providers: [PageRepository, PageReadRepository],
  exports: [PageRepository, PageReadRepository],
})
export class NotionPagesModule {}
