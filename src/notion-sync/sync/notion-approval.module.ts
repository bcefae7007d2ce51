import { Module } from '@nestjs/common';
import { NotionScheduleModule } from './notion-schedule.module';
import { BoardApproval } from './board-approval';
import { BoardPasses } from './schedule.repository';

/** Approvals of boards that the brake holds back. Expects global Clock and Settings. */
@Module({
  imports: [NotionScheduleModule],
  providers: [BoardApproval, BoardPasses],
  exports: [BoardApproval, BoardPasses],
})
export class NotionApprovalModule {}
