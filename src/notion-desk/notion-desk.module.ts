import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention';
import { NotionApprovalModule, NotionDesk } from '../notion-sync';
import { AttentionDesk } from './attention-desk';
import { BoardReplay } from './board-replay';

/** The Notion sync's cases for a person; imported only where a token is set. */
@Module({
  imports: [AttentionModule, NotionApprovalModule],
  providers: [{ provide: NotionDesk, useClass: AttentionDesk }, BoardReplay],
  exports: [NotionDesk],
})
export class NotionDeskModule {}
