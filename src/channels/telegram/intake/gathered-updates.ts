import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { BotIdentity } from '../bot-identity';
import { UpdateRepository, type KeptState, type UpdateOfAccount } from './inbox';

/** In a commit of many chats: all of them would wait for one. */
export const LOCK_WAIT_MS = 100;

/**
 * Updates of many chats that are stored by one commit, as they are, for the lane `intake`: what a
 * busy process does to acknowledge them soon. It holds no lock of a chat, and waits for none: what
 * would have to wait is left, and goes in by itself.
 *
 *   given ──the tick ends, and a connection is free for it──> stored with the others ──> acknowledged
 */
@Injectable()
export class UpdateBatcher {
  private readonly commits: CommitBatcher<UpdateOfAccount, KeptState>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly inbox: UpdateRepository,
    private readonly tasks: Jobs,
    private readonly identity: BotIdentity,
  ) {
    this.commits = new CommitBatcher(units, 'telegram.gather', (tx, updates) =>
      this.keepAll(tx, updates),
    );
  }

  /** Throws whatever its batch failed with: then none of the batch is stored. */
  keep(update: UpdateOfAccount): Promise<KeptState> {
    return this.commits.ask(update);
  }

  private async keepAll(tx: Tx, updates: readonly UpdateOfAccount[]): Promise<KeptState[]> {
    await this.inbox.waitForLocks(tx, LOCK_WAIT_MS);
    const kept = await this.inbox.addWaiting(tx, this.identity.botId, updates);
    const waiting = updates.filter((_, n) => kept[n] === 'waiting');
    const keys = waiting.map(({ accountId }) => String(accountId));
    if (keys.length > 0) await this.tasks.upsertAll(tx, { lane: 'intake', keys, dueInMs: 0 });
    return kept;
  }
}
