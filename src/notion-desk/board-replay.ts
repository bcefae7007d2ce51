import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AttentionReplays } from '../attention';
import { BOARD_SUBJECT, BoardApproval } from '../notion-sync';

/**
 * To replay a board that was held back is to approve it: its next run writes what it has to. One
 * that was given up is tried again.
 */
@Injectable()
export class BoardReplay implements OnModuleInit {
  constructor(
    private readonly replays: AttentionReplays,
    private readonly approval: BoardApproval,
  ) {}

  onModuleInit(): void {
    this.replays.registerSubject(BOARD_SUBJECT, (tx, { kind, subject }) => {
      const userId = subject.slice(BOARD_SUBJECT.length);
      return kind === 'braked'
        ? this.approval.approve(tx, userId)
        : this.approval.tryAgain(tx, userId);
    });
  }
}
