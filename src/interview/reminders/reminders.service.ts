import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { Jobs } from '../../jobs';

/** Begins and ends the job that reminds a silent candidate. Under the conversation's lock. */
@Injectable()
export class Reminders {
  constructor(
    private readonly jobs: Jobs,
    private readonly settings: Settings,
  ) {}

  /** The interview waits for its candidate. A job that is there already looks no later than a new one. */
  async begin(tx: Tx, conversationId: string): Promise<void> {
    const dueInMs = this.settings.interview.reminderAfterMs;
    await this.jobs.enqueue(tx, { queue: 'remind', key: conversationId, dueInMs });
  }

  /** The candidate has blocked the channel: they are left in peace, and a person knows of it. */
  async end(tx: Tx, conversationId: string): Promise<void> {
    await this.jobs.cancel(tx, { queue: 'remind', key: conversationId });
  }
}
