import { Injectable } from '@nestjs/common';
import { CommitBatcher, type Tx, UnitOfWorkFactory } from '../../../common/uow';
import { Jobs, type Claim } from '../../../jobs';
import { BotIdentity } from '../bot-identity';
import {
  UpdateRepository,
  type KeptState,
  type UpdateOfAccount,
  type NextOfChat,
} from './update.repository';
import { type TelegramAccount, TelegramAccountRepository } from '../account.repository';
import { incomingOf } from './incoming';
import { pinOf } from './pin-input';
import { UpdateHandling } from './update-handling';

/** In a commit of many chats: all of them would wait for one. */
export const LOCK_WAIT_MS = 100;

/**
 * Updates of many chats that are stored by one commit, as they are, for the queue `intake`: what a
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
    private readonly jobs: Jobs,
    private readonly identity: BotIdentity,
  ) {
    this.commits = new CommitBatcher(units, 'telegram.gather', (tx, updates) =>
      this.keepAll(tx, updates),
    );
  }

  /** Throws the error of its batch: then none of the batch is stored. */
  keep(update: UpdateOfAccount): Promise<KeptState> {
    return this.commits.ask(update);
  }

  private async keepAll(tx: Tx, updates: readonly UpdateOfAccount[]): Promise<KeptState[]> {
    await this.inbox.waitForLocks(tx, LOCK_WAIT_MS);
    const kept = await this.inbox.addWaiting(tx, this.identity.botId, updates);
    const waiting = updates.filter((_, n) => kept[n] === 'waiting');
    const keys = waiting.map(({ accountId }) => String(accountId));
    if (keys.length > 0) await this.jobs.enqueueAll(tx, { queue: 'intake', keys, dueInMs: 0 });
    return kept;
  }
}

/** In one commit, which holds the locks of all of them until its end. */
const MAX_CHATS = 16;

/** What became of a chat's claim. */
export type BatchedClaim =
  /** Nothing was done: the claim is handled by a commit of its own. */
  | 'left'
  /** An update was handled, and more wait. */
  | 'goes_on'
  /** The job has ended. */
  | 'over';

interface Ready {
  readonly claim: Claim;
  readonly account: TelegramAccount;
  readonly next: NextOfChat;
}

/**
 * The next update of each of many chats, handled by one commit: what the queue does when many chats
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
    private readonly jobs: Jobs,
  ) {
    this.commits = new CommitBatcher(
      units,
      'intake.together',
      (tx, claims) => this.handleAll(tx, claims),
      MAX_CHATS,
    );
  }

  /** Throws the error of its batch: then nothing of the batch was done. */
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
    const over = ready.filter(({ claim }) => handled.get(claim) === 'over');
    await this.jobs.completeAll(
      tx,
      over.map(({ claim }) => claim),
    );
    return claims.map((claim) => handled.get(claim) ?? 'left');
  }

  /** Those that can be handled now: locked, fenced, and with an update that needs nothing before. */
  private async ready(tx: Tx, claims: readonly Claim[]): Promise<Ready[]> {
    await this.inbox.waitForLocks(tx, LOCK_WAIT_MS);
    const chatIds = claims.map(({ key }) => Number(key));
    const accounts = await this.accounts.lockFree(tx, chatIds);
    const fenced = await this.jobs.fenceAll(tx, claims);
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
    const { hasAnswers } = await this.handling.handle(tx, next.update, account, null);
    const isOver = !next.hasMore && !next.hasAnswers && !hasAnswers;
    return isOver ? 'over' : 'goes_on';
  }
}
