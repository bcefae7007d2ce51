import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AttentionReplays } from '../attention';
import { BOARD_SUBJECT, BoardApproval } from '../notion-sync';

/** To replay a board that was held back is to approve it: its next run writes what it has to. */
@Injectable()
export class BoardReplay implements OnModuleInit {
  constructor(
    private readonly replays: AttentionReplays,
    private readonly approval: BoardApproval,
  ) {}

  onModuleInit(): void {
    this.replays.registerSubject(BOARD_SUBJECT, (tx, { subject }) =>
      this.approval.approve(tx, subject.slice(BOARD_SUBJECT.length)),
    );
  }
}
