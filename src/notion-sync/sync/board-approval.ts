import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { BoardSchedule } from './board-schedule';
import { BoardPasses } from './schedule.repository';

/** What a person does about a board that the brake holds back, or that was given up. */
@Injectable()
export class BoardApproval {
  constructor(
    private readonly passes: BoardPasses,
    private readonly schedule: BoardSchedule,
  ) {}

  /** The board is ranked soon, and the brake lets it through, once. */
  async approve(tx: Tx, userId: string): Promise<void> {
    await this.passes.approve(tx, userId);
    await this.schedule.mark(tx, [userId], 'approval');
  }

  /** A board that was given up is tried again, and braked if need be. */
  async tryAgain(tx: Tx, userId: string): Promise<void> {
    await this.schedule.mark(tx, [userId], 'approval');
  }
}
