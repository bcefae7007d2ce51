import { Injectable } from '@nestjs/common';
import { Semaphore, type Tx, type UnitOfWork } from '../../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  LeaseLostError,
  PeerUnavailableError,
  type JobFlow,
  Jobs,
} from '../../../jobs';
import type { TelegramAccount } from '../account.repository';
import { type BotReplyOutcome, AnswerSending, BotReplies, type NextBotReply } from './bot-replies';
import type { StoredBotReply } from './bot-reply.repository';
import type { WaitingUpdate } from './update.repository';
import { PinInput } from './pin-input';
import { DeadUpdates } from './dead-updates';
import { UpdateHandling, type KnownPin, WaitingUpdates } from './update-handling';
import { UpdatesTogether } from './update-batcher';

/** Many, so that many share a commit. */
const CONCURRENCY = 48;
/** Chats handled by a commit of their own at a time, stuck ones included: each needs a connection. */
const ALONE_AT_ONCE = 16;
/** Of one update, before it goes to a person. */
const MAX_FAILURES = 5;
/** While so many chats are in work, their next updates share commits. */
const TOGETHER_FROM = 4;
/** Updates of one chat that one commit handles: it holds the chat's locks for as long. */
const AT_ONCE = 10;

type Next =
  | {
      /** `over`: the job has ended in the same commit. */
      readonly kind: 'handled' | 'over';
      /** Where it had to stop: the key of this one's PIN has to be made first. */
      readonly stoppedAt: WaitingUpdate | null;
    }
  | Extract<NextBotReply, { kind: 'answer' | 'found' | 'outage' }>;

/** What one claim of a chat's job goes by. */
interface ChatFlow {
  readonly chatId: number;
  /** Updates that one commit handles; a single one where several could not be. */
  atMost: number;
  pin: KnownPin | null;
}

const OVER: Next = { kind: 'over', stoppedAt: null };

/**
 * The queue `intake`, a job for each chat in which something was left to do: updates that were stored
 * to wait, in the order of their messages, then what the chat is to be told.
 *
 *   (many chats are in work) ─> intake.together: the next update of each, in one commit
 *                                     ├─> the job ends, in that commit
 *                                     v   (more to do, or left out, or the commit has failed)
 *   (few are) ─────────────────> intake.handle ─┬─> (updates were handled, in this commit) ─> again
 *                                               ├─> call, no connection held ─> intake.answered ─> again
 *                                               └─> the job ends, in this commit
 *
 * Updates share a commit as long as none of them fails: then each is handled by itself, so that only
 * the one that fails is lost to a person. After a crash too: it may have been one of them.
 */
@Injectable()
@JobHandler('intake', { concurrency: CONCURRENCY, maxFailures: MAX_FAILURES })
export class IntakeWorker implements JobHandlerClass {
  private readonly alone = new Semaphore(ALONE_AT_ONCE);
  private running = 0;

  constructor(
    private readonly jobs: Jobs,
    private readonly together: UpdatesTogether,
    private readonly waiting: WaitingUpdates,
    private readonly handling: UpdateHandling,
    private readonly pins: PinInput,
    private readonly sending: AnswerSending,
    private readonly settling: BotReplies,
    private readonly poison: DeadUpdates,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    this.running += 1;
    try {
      const isFirstTry = claim.failures === 0 && !claim.takenOver;
      if (isFirstTry && this.running >= TOGETHER_FROM && (await this.endedTogether(claim))) return;
      const chat = { chatId: Number(claim.key), atMost: isFirstTry ? AT_ONCE : 1, pin: null };
      await this.alone.within(async () => {
        while (await this.step(flow.uow, claim, flow, chat));
      });
    } finally {
      this.running -= 1;
    }
  }

  /** What the chat is stuck on is taken out of its way; what is behind it is next. */
  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const chatId = Number(job.key);
    if (await this.poison.remove(tx, chatId, job.jobId)) await this.handling.makeDue(tx, chatId);
  }

  /** False: there is more to do, or nothing could be done in one commit with others. */
  private async endedTogether(claim: Claim): Promise<boolean> {
    try {
      return (await this.together.handle(claim)) === 'over';
    } catch {
      // Handled one at a time, only the failing update fails.
      return false;
    }
  }

  private async step(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    chat: ChatFlow,
  ): Promise<boolean> {
    flow.signal.throwIfAborted();
    const next = await this.next(uow, claim, chat);
    switch (next.kind) {
      case 'handled':
      case 'over':
        if (next.stoppedAt !== null) chat.pin = await this.pinOf(next.stoppedAt);
        return next.kind === 'handled';
      case 'answer':
        return this.send(uow, claim, flow, next.answer);
      case 'found':
        if (next.isGivenUp) this.settling.tellGivenUp();
        return true;
      case 'outage':
        return this.waitForServer(uow, flow, next.outageNo);
    }
  }

  private async next(uow: UnitOfWork, claim: Claim, chat: ChatFlow): Promise<Next> {
    try {
      return await uow.commit('intake.handle', (tx) => this.look(tx, claim, chat));
    } catch (error) {
      if (chat.atMost === 1 || error instanceof LeaseLostError) throw error;
      chat.atMost = 1;
      return { kind: 'handled', stoppedAt: null };
    }
  }

  private async look(tx: Tx, claim: Claim, { chatId, atMost, pin }: ChatFlow): Promise<Next> {
    const account = await this.handling.lockKnown(tx, chatId);
    await this.jobs.fence(tx, claim);
    const { wasAny, isAll, hasAnswers, ...left } = await this.waiting.handle(tx, {
      chatId,
      account,
      atMost,
      pin,
    });
    if (!wasAny) return this.nextAnswer(tx, claim, account);
    if (!isAll || hasAnswers) return { kind: 'handled', ...left };
    await this.end(tx, claim, null);
    return { kind: 'over', ...left };
  }

  /** The job of a chat of which nothing is stored any more leaves no row: its key is the person's id. */
  private async nextAnswer(tx: Tx, claim: Claim, account: TelegramAccount | null): Promise<Next> {
    const next = await this.settling.take(tx, Number(claim.key));
    if (next.kind !== 'nothing' && next.kind !== 'later') return next;
    await this.end(tx, claim, next.kind === 'later' ? next.inMs : null);
    const isForgotten = account === null && next.kind === 'nothing';
    if (isForgotten) await this.jobs.eraseIdle(tx, { keys: [claim.key] });
    return OVER;
  }

  private async pinOf({ updateId, update }: WaitingUpdate): Promise<KnownPin> {
    return { updateId, key: await this.pins.keyOf(update) };
  }

  /** The channel's breaker closes once the Bot API responds. Throws PeerUnavailableError. */
  private async waitForServer(uow: UnitOfWork, flow: JobFlow, outageNo: string): Promise<boolean> {
    if (!(await this.sending.responds()))
      throw new PeerUnavailableError('no response of the Bot API');
    flow.peerResponded();
    await uow.commitOne('intake.recover', (tx) => this.settling.recover(tx, outageNo));
    return true;
  }

  /** Throws PeerUnavailableError when the Bot API is away. */
  private async send(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    answer: StoredBotReply,
  ): Promise<boolean> {
    flow.assertLease();
    const end = await this.sending.send(Number(claim.key), answer.call, flow.signal);
    this.settling.tell(end);
    if (hasAnswered(end)) flow.peerResponded();
    const isGivenUp = await uow.commit('intake.answered', (tx) =>
      this.settling.settle(tx, claim, answer, end),
    );
    if (isGivenUp) this.settling.tellGivenUp();
    if (end.kind === 'unavailable') throw new PeerUnavailableError('the Bot API is away');
    if (end.kind === 'failed') throw end.error;
    return true;
  }

  private async end(tx: Tx, claim: Claim, againInMs: number | null): Promise<void> {
    await this.jobs.complete(tx, claim);
    if (againInMs === null) return;
    await this.jobs.enqueue(tx, { queue: 'intake', key: claim.key, dueInMs: againInMs });
  }
}

/** Whether the Bot API has been heard of. */
function hasAnswered({ kind }: BotReplyOutcome): boolean {
  switch (kind) {
    case 'sent':
    case 'blocked':
    case 'paused':
    case 'refused':
    case 'not_sent':
      return true;
    case 'unknown':
    case 'server_error':
    case 'unavailable':
    case 'failed':
      return false;
  }
}
