import { Injectable } from '@nestjs/common';
import { currentTraceparent, type InFlow } from '../../../common/tracing';
import { CommitBatcher, type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../../common/uow';
import { Jobs } from '../../../jobs';
import { BotIdentity } from '../account';
import {
  INTAKE_QUEUE,
  UpdateRepository,
  type KeptState,
  type UpdateOfAccount,
} from './update.repository';

/**
 * Stores updates of many chats unchanged in one commit, for the queue `intake`, so that a busy process
 * acknowledges them soon. It holds no chat's lock and waits for none: an update that would have to
 * wait is left out and stored in a commit of its own.
 *
 *   given ──the tick ends and a connection is free──> stored with the others ──> acknowledged
 */
@Injectable()
export class UpdateBatcher {
  private readonly commits: CommitBatcher<UpdateOfAccount, KeptState>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly inbox: UpdateRepository,
    private readonly jobs: Jobs,
    private readonly identity: BotIdentity,
  ) {
    this.commits = new CommitBatcher(units, 'telegram.store_batch', (tx, updates, flows) =>
      this.keepAll(tx, updates, flows),
    );
  }

  /** Throws the error of the batch; none of the batch is stored then. */
  keep(uow: UnitOfWork, update: UpdateOfAccount): Promise<KeptState> {
    return this.commits.submit(update, uow);
  }

  private async keepAll(
    tx: Tx,
    updates: readonly UpdateOfAccount[],
    flows: readonly InFlow[],
  ): Promise<KeptState[]> {
    await this.inbox.setLockTimeout(tx, LOCK_WAIT_MS);
    const kept = await this.inbox.addWaiting(tx, this.identity.botId, updates);
    const waiting = updates.flatMap(({ accountId }, n) =>
      kept[n] === 'waiting'
        ? [{ key: String(accountId), trace: flows[n]?.(currentTraceparent) ?? null }]
        : [],
    );
    const keys = waiting.map(({ key }) => key);
    const traces = waiting.map(({ trace }) => trace);
    if (keys.length > 0) {
      await this.jobs.enqueueAll(tx, { queue: INTAKE_QUEUE, keys, traces, dueInMs: 0 });
    }
    return kept;
  }
}

/** How long a commit of many chats waits for a lock; all of its chats would wait with it. */
export const LOCK_WAIT_MS = 100;
