import { Injectable } from '@nestjs/common';
import type { InFlow } from '../../../common/tracing';
import { type Tx, CommitBatcher, UnitOfWorkFactory } from '../../../common/uow';
import { type Claim, Jobs } from '../../../jobs';
import { type TelegramAccount, TelegramAccountRepository } from '../account.repository';
import { UpdateRepository, type NextOfChat } from './update.repository';
import { UpdateHandling, incomingOf, pinOf } from './update-handling';
import { LOCK_WAIT_MS } from './update-batcher';

/**
 * Handles the next update of each of many chats in one commit. It takes every lock without waiting: a
 * chat whose account or conversation is locked is left to a commit of its own, and so is one whose
 * next step is not an update.
 */
@Injectable()
export class ChatBatcher {
  private readonly commits: CommitBatcher<Claim, BatchOutcome>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly accounts: TelegramAccountRepository,
    private readonly inbox: UpdateRepository,
    private readonly handling: UpdateHandling,
    private readonly jobs: Jobs,
  ) {
    this.commits = new CommitBatcher(
      units,
      'intake.handle_batch',
      (tx, claims, flows) => this.handleAll(tx, claims, flows),
      MAX_CHATS,
    );
  }

  /** Throws the error of the batch; nothing of the batch was done then. */
  handle(claim: Claim): Promise<BatchOutcome> {
    return this.commits.submit(claim);
  }

  private async handleAll(
    tx: Tx,
    claims: readonly Claim[],
    flows: readonly InFlow[],
  ): Promise<BatchOutcome[]> {
    const ready = await this.ready(tx, claims);
    await this.inbox.endAll(
      tx,
      ready.map(({ next }) => next),
    );
    const handled = new Map<Claim, BatchOutcome>();
    // One after the other, because they share a connection.
    for (const one of ready) {
      const inFlow = flows[claims.indexOf(one.claim)];
      if (inFlow === undefined) continue;
      handled.set(one.claim, await inFlow(() => this.handleOne(tx, one)));
    }
    const over = ready.filter(({ claim }) => handled.get(claim) === 'over');
    await this.jobs.completeAll(
      tx,
      over.map(({ claim }) => claim),
    );
    return claims.map((claim) => handled.get(claim) ?? 'left');
  }

  /** The claims that can be handled now: locked, fenced, and with an update that is no PIN. */
  private async ready(tx: Tx, claims: readonly Claim[]): Promise<Ready[]> {
    await this.inbox.setLockTimeout(tx, LOCK_WAIT_MS);
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

  private async handleOne(tx: Tx, { account, next }: Ready): Promise<BatchOutcome> {
    const { hasReplies } = await this.handling.handle(tx, next.update, account, null);
    const isOver = !next.hasMore && !next.hasReplies && !hasReplies;
    return isOver ? 'over' : 'goes_on';
  }
}

/** Chats per commit, which holds the locks of all of them until its end. */
const MAX_CHATS = 16;

/** What the shared commit did for a chat's claim. */
export type BatchOutcome =
  /** Nothing: the claim needs a commit of its own. */
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
