import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AttentionItem, AttentionNotReplayableError, AttentionReplays } from '../../attention';
import type { Tx } from '../../common/uow';
import { Conversations } from '../../persistence';
import { Tasks } from '../../tasks';

/**
 * What "do it again" means for an answer that ended without a reply. It is refused once a later
 * answer has been replied to: the interview went on, and the transcript would read backwards.
 */
@Injectable()
export class TurnReplay implements OnModuleInit {
  constructor(
    private readonly replays: AttentionReplays,
    private readonly conversations: Conversations,
    private readonly tasks: Tasks,
  ) {}

  onModuleInit(): void {
    const replay = (tx: Tx, item: AttentionItem): Promise<void> => this.replay(tx, item);
    this.replays.register('dead', replay);
    this.replays.register('expired', replay);
  }

  private async replay(tx: Tx, item: AttentionItem): Promise<void> {
    const { conversationId, taskId } = item;
    if (conversationId === null || taskId === null) throw notReplayable('it names no answer');
    await this.conversations.lock(tx, conversationId);
    const [later] = await tx.query<{ answered: boolean }>(
      `select exists (select 1 from turn where conversation_id = $1 and buffer_id > $2
         and state in ('answered', 'delivered')) as answered`,
      [conversationId, taskId],
    );
    if (later?.answered === true) throw notReplayable('a later answer has been replied to');
    await tx.query(
      `update turn set state = 'opened', error = null, completed_at = null
       where buffer_id = $1 and state in ('failed', 'expired')`,
      [taskId],
    );
    await this.tasks.replay(tx, taskId);
  }
}

function notReplayable(why: string): AttentionNotReplayableError {
  return new AttentionNotReplayableError(`this cannot be done again: ${why}`);
}
