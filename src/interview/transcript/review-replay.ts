import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AttentionNotReplayableError, AttentionReplays } from '../../attention';
import { Jobs } from '../../jobs';
import { REVIEW_SUBJECT } from './interview-summary';

/** What "do it again" means for a page in Notion that was given up. */
@Injectable()
export class ReviewReplay implements OnModuleInit {
  constructor(
    private readonly replays: AttentionReplays,
    private readonly tasks: Jobs,
  ) {}

  onModuleInit(): void {
    this.replays.registerSubject(REVIEW_SUBJECT, async (tx, { taskId }) => {
      if (taskId === null) {
        throw new AttentionNotReplayableError('this cannot be done again: it names no task');
      }
      await this.tasks.replay(tx, taskId);
    });
  }
}
