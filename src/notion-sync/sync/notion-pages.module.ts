import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { PageRepository, PageReadRepository } from './page.repository';

@Module({
  imports: [JobsModule],
  providers: [PageRepository, PageReadRepository],
  exports: [PageRepository, PageReadRepository],
})
export class NotionPagesModule {}
