import { Injectable } from '@nestjs/common';
import { OnEvent, type PayloadOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { BoardSchedule } from './board-schedule';
import { BoardPasses } from './schedule.repository';

const TOPIC = 'board';

/** The subject of attention items about one person's board. */
export function boardSubject(userId: string): string {
  return `${TOPIC}:${userId}`;
}

/** Replays of attention items about boards. */
@Injectable()
export class BoardApproval {
  constructor(
    private readonly passes: BoardPasses,
    private readonly schedule: BoardSchedule,
  ) {}

  /**
   * Ranks the board soon. Replaying an item `braked` approves the writes that were held back: the
   * brake lets the board through once. A board that was given up is tried again with the brake on.
   */
  @OnEvent('attention.replayed', { topic: TOPIC })
  async whenReplayed(tx: Tx, { kind, subject }: PayloadOf<'attention.replayed'>): Promise<void> {
    const userId = subject.slice(boardSubject('').length);
    if (kind === 'braked') await this.passes.approve(tx, userId);
    await this.schedule.mark(tx, [userId], 'approval');
  }
}
