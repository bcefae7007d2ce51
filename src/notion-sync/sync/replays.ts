import { Injectable, Module } from '@nestjs/common';
import { DomainEventHandler, type PayloadOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { JobsModule } from '../../jobs';
import { ReviewRequestsModule } from '../reviews/review-requests';
import { BoardQueueRepository } from './board-queue.repository';
import { BoardLog } from './board-log';
import { BoardSchedule } from './board-schedule';
import { ScheduleMetrics } from './schedule.metrics';
import { BoardApprovals } from './schedule.repository';

const TOPIC = 'board';

/** The subject of attention items about one person's board. */
export function boardSubject(userId: string): string {
  return `${TOPIC}:${userId}`;
}

/** Replays of attention items about boards. */
@Injectable()
export class BoardApproval {
  constructor(
    private readonly approvals: BoardApprovals,
    private readonly schedule: BoardSchedule,
  ) {}

  /**
   * Ranks the board soon. Replaying an item `braked` approves the writes that were held back: the
   * brake lets the board through once. A board that was given up is tried again with the brake on.
   */
  @DomainEventHandler('attention.replayed', { topic: TOPIC })
  async whenReplayed(tx: Tx, { kind, subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const userId = subject.slice(boardSubject('').length);
    if (kind === 'braked') await this.approvals.approve(tx, userId);
    await this.schedule.mark(tx, [userId], 'approval');
  }
}

/**
 * Replays attention items of Notion. It only writes rows and loads no client, so commands have it also
 * without a token: the running application may have one. Separate from ReviewRequestsModule, which is
 * always loaded: a server without a token replays no board.
 */
@Module({
  imports: [JobsModule, ReviewRequestsModule],
  providers: [
    BoardApproval,
    BoardLog,
    BoardApprovals,
    BoardQueueRepository,
    BoardSchedule,
    ScheduleMetrics,
  ],
  exports: [BoardLog, BoardApprovals, BoardSchedule, ScheduleMetrics],
})
export class NotionReplaysModule {}
