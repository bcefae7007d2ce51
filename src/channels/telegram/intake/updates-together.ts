import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../../../common/uow';
import { type Claim, Jobs } from '../../../jobs';
import { type TelegramAccount, TelegramAccountRepository } from '../accounts';
import { LOCK_WAIT_MS } from './gathered-updates';
import { UpdateRepository, type NextOfChat } from './inbox';
import { incomingOf } from './incoming';
import { pinOf } from './pin-input';
import { UpdateHandling } from './update-handling';

/** In one commit, which holds the locks of all of them until its end. */
const MAX_CHATS = 16;

/** What became of a chat's claim. */
export interface BatchedClaim {
  /** `left`: nothing was done. `goes_on`: an update was handled, and there is more. `over`: the task has ended. */
  readonly kind: 'left' | 'goes_on' | 'over';
  readonly afterCommit: readonly (() => void)[];
}

const LEFT: BatchedClaim = { kind: 'left', afterCommit: [] };

interface Ready {
  readonly claim: Claim;
  readonly account: TelegramAccount;
  readonly next: NextOfChat;
}

/**
 * The next update of each of many chats, handled by one commit: what the lane does when many chats
 * have something waiting. Every lock is had at once or not at all: a chat whose account or conversation
 * is in use is left to a commit of its own, and so is one with more to do than an update.
 */
@Injectable()
export class UpdatesTogether {
  private readonly commits: CommitBatcher<Claim, BatchedClaim>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly accounts: TelegramAccountRepository,
    private readonly inbox: UpdateRepository,
    private readonly handling: UpdateHandling,
    private readonly tasks: Jobs,
  ) {
    this.commits = new CommitBatcher(
      units,
      'intake.together',
      (tx, claims) => this.handleAll(tx, claims),
      MAX_CHATS,
    );
  }

  /** Throws whatever its batch failed with: then nothing of the batch was done. */
  handle(claim: Claim): Promise<BatchedClaim> {
    return this.commits.ask(claim);
  }

  private async handleAll(tx: Tx, claims: readonly Claim[]): Promise<BatchedClaim[]> {
    const ready = await this.ready(tx, claims);
    await this.inbox.endAll(
      tx,
      ready.map(({ next }) => next),
    );
    const handled = new Map<Claim, BatchedClaim>();
    // One after the other: they share a connection.
    for (const one of ready) handled.set(one.claim, await this.handleOne(tx, one));
    const over = ready.filter(({ claim }) => handled.get(claim)?.kind === 'over');
    await this.tasks.completeAll(
      tx,
      over.map(({ claim }) => claim),
    );
    return claims.map((claim) => handled.get(claim) ?? LEFT);
  }

  /** Those that can be handled now: locked, fenced, and with an update that needs nothing before. */
  private async ready(tx: Tx, claims: readonly Claim[]): Promise<Ready[]> {
    await this.inbox.waitForLocks(tx, LOCK_WAIT_MS);
    const chatIds = claims.map(({ key }) => Number(key));
    const accounts = await this.accounts.lockFree(tx, chatIds);
    const fenced = await this.tasks.fenceAll(tx, claims);
    const waiting = await this.inbox.nextOfChats(tx, [...accounts.keys()]);
    return claims.flatMap((claim) => {
      const account = accounts.get(Number(claim.key));
      const next = waiting.get(Number(claim.key));
      if (account === undefined || next === undefined || !fenced.has(claim)) return [];
      const { kind } = incomingOf(next.update);
      return kind === 'person' && pinOf(next.update) === null ? [{ claim, account, next }] : [];
    });
  }

  private async handleOne(tx: Tx, { account, next }: Ready): Promise<BatchedClaim> {
    const { afterCommit, hasAnswers } = await this.handling.handle(tx, next.update, account, null);
    const isOver = !next.hasMore && !next.hasAnswers && !hasAnswers;
    return { kind: isOver ? 'over' : 'goes_on', afterCommit };
  }
}
