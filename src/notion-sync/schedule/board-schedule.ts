import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { Tasks } from '../../tasks';

/** Why a board is to be ranked. */
export type MarkCause = 'event' | 'sweep' | 'review' | 'approval' | 'rest';

/** Which people's boards are to be ranked, and when: tasks of the lane `notion-sync`. */
@Injectable()
export class BoardSchedule {
  constructor(
    private readonly tasks: Tasks,
    private readonly settings: Settings,
  ) {}

  /** These people's boards have changed, or may have. */
  async mark(tx: Tx, userIds: readonly string[], cause: MarkCause): Promise<void> {
    const dueInMs = cause === 'rest' ? 0 : this.settings.notionSync.debounceMs;
    for (const key of [...new Set(userIds)].sort()) {
      await this.tasks.upsert(tx, { lane: 'notion-sync', key, dueInMs });
    }
  }
}
