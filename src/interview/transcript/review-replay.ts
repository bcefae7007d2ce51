import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AttentionNotReplayableError, AttentionReplays } from '../../attention';
import { Jobs } from '../../jobs';
import { REVIEW_SUBJECT } from './interview-summary';

/** What "do it again" means for a page in Notion that was given up. */
@Injectable()
export class ReviewReplay implements OnModuleInit {
  constructor(
    private readonly replays: AttentionReplays,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.replays.registerSubject(REVIEW_SUBJECT, async (tx, { jobId }) => {
      if (jobId === null) {
        throw new AttentionNotReplayableError('this cannot be done again: it names no job');
      }
      await this.jobs.replay(tx, jobId);
    });
  }
}
