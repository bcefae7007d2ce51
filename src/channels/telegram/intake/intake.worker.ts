import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../../common/errors';
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
  callUnderLease,
} from '../../../jobs';
import type { TelegramAccount } from '../account.repository';
import { BotReplies, type BotReplyOutcome, BotReplySender, type NextBotReply } from './bot-replies';
import { DeadUpdates } from './dead-letters';
import type { StoredBotReply } from './bot-reply.repository';
import { INTAKE_QUEUE, type WaitingUpdate } from './update.repository';
import { type KnownPin, PinInput, UpdateHandling, WaitingUpdates } from './update-handling';
import { ChatBatcher } from './chat-batcher';

declare module '../../../jobs' {
  interface QueueNames {
    intake: IntakeWorker;
  }
}

/** High, so that many chats share a commit. */
const CONCURRENCY = 48;
/** Failures of one update before it goes to a person. */
const MAX_FAILURES = 5;

/**
 * The handler of queue `intake`, with one job per chat: first the chat's stored updates, in the order
 * of their messages, then the bot's replies to it.
 *
 *   (many chats at once) ─> intake.handle_batch: the next update of each, in one commit
 *                                     ├─> the job ends, in that commit
 *                                     v   (more to do, or left out, or the commit has failed)
 *   (few chats) ──────────> intake.handle ─┬─> (updates were handled, in this commit) ─> again
 *                                          ├─> call, no connection held ─> intake.replied ─> again
 *                                          └─> the job ends, in this commit
 *
 * After a failure or a crash, each update is handled in a commit of its own, so that only the failing
 * one goes to a person.
 */
@Injectable()
@JobHandler(INTAKE_QUEUE, {
  concurrency: CONCURRENCY,
  maxFailures: MAX_FAILURES,
  continuesTrace: true,
})
export class IntakeWorker implements JobHandlerClass {
  private readonly logger = new Logger('Telegram');
  private readonly alone = new Semaphore(ALONE_AT_ONCE);
  private running = 0;

  constructor(
    private readonly jobs: Jobs,
    private readonly batcher: ChatBatcher,
    private readonly waiting: WaitingUpdates,
    private readonly handling: UpdateHandling,
    private readonly pins: PinInput,
    private readonly sending: BotReplySender,
    private readonly replies: BotReplies,
    private readonly dead: DeadUpdates,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    this.running += 1;
    try {
      const isFirstTry = claim.failures === 0 && !claim.takenOver;
      if (isFirstTry && this.running >= BATCH_FROM && (await this.endedInBatch(claim))) return;
      const chat = { chatId: Number(claim.key), atMost: isFirstTry ? AT_ONCE : 1, pin: null };
      await this.alone.within(async () => {
        while (await this.step(flow.uow, claim, flow, chat));
      });
    } finally {
      this.running -= 1;
    }
  }

  /** Removes what the job failed on, so that the chat's next update or reply is handled. */
  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const chatId = Number(job.key);
    if (await this.dead.remove(tx, chatId, job.jobId)) await this.handling.makeDue(tx, chatId);
  }

  /** False: there is more to do, or the commit with other chats did nothing for this one. */
  private async endedInBatch(claim: Claim): Promise<boolean> {
    try {
      return (await this.batcher.handle(claim)) === 'over';
    } catch (error) {
      // Handled one at a time, only the failing update fails.
      this.noteFailedCommit(error);
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
        if (next.stoppedAt !== null) chat.pin = await this.pinOf(uow, next.stoppedAt);
        return next.kind === 'handled';
      case 'reply':
        return this.send(uow, claim, flow, next.reply);
      case 'interrupted':
        if (next.isGivenUp) this.replies.reportGivenUp();
        return true;
      case 'outage':
        return this.waitForServer(uow, flow, next.failureNo);
    }
  }

  private async next(uow: UnitOfWork, claim: Claim, chat: ChatFlow): Promise<Next> {
    try {
      return await uow.commit('intake.handle', (tx) => this.handleNext(tx, claim, chat));
    } catch (error) {
      if (chat.atMost === 1 || error instanceof LeaseLostError) throw error;
      this.noteFailedCommit(error);
      chat.atMost = 1;
      return { kind: 'handled', stoppedAt: null };
    }
  }

  private noteFailedCommit(error: unknown): void {
    this.logger.debug(
      `a commit of several updates failed; handling them one at a time: ${describeError(error)}`,
    );
  }

  private async handleNext(tx: Tx, claim: Claim, { chatId, atMost, pin }: ChatFlow): Promise<Next> {
    const account = await this.handling.lockKnown(tx, chatId);
    await this.jobs.fence(tx, claim);
    const { wasAny, isAll, hasReplies, ...left } = await this.waiting.handle(tx, {
      chatId,
      account,
      atMost,
      pin,
    });
    if (!wasAny) return this.nextReply(tx, claim, account);
    if (!isAll || hasReplies) return { kind: 'handled', ...left };
    await this.end(tx, claim, null);
    return { kind: 'over', ...left };
  }

  /** An erased person's job leaves no row, because its key is the person's id. */
  private async nextReply(tx: Tx, claim: Claim, account: TelegramAccount | null): Promise<Next> {
    const next = await this.replies.take(tx, Number(claim.key));
    if (next.kind !== 'nothing' && next.kind !== 'later') return next;
    await this.end(tx, claim, next.kind === 'later' ? next.inMs : null);
    const isForgotten = account === null && next.kind === 'nothing';
    if (isForgotten) await this.jobs.eraseIdle(tx, { keys: [claim.key] });
    return OVER;
  }

  private async pinOf(uow: UnitOfWork, { updateId, update }: WaitingUpdate): Promise<KnownPin> {
    return { updateId, key: await this.pins.keyOf(uow, update) };
  }

  /** The channel's breaker closes once the Bot API responds. Throws PeerUnavailableError. */
  private async waitForServer(uow: UnitOfWork, flow: JobFlow, failureNo: string): Promise<boolean> {
    const ask = (): Promise<boolean> => this.sending.responds();
    const responds = await callUnderLease(flow, ask, { hasResponded: (yes) => yes });
    if (!responds) throw new PeerUnavailableError('the Bot API does not respond');
    await uow.commitOne('intake.recover', (tx) => this.replies.recover(tx, failureNo));
    return true;
  }

  /** Throws PeerUnavailableError when the Bot API cannot be reached. */
  private async send(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    reply: StoredBotReply,
  ): Promise<boolean> {
    const send = () => this.sending.send(Number(claim.key), reply.call, flow.signal);
    const end = await callUnderLease(flow, send, { hasResponded });
    this.replies.report(end);
    const isGivenUp = await uow.commit('intake.replied', (tx) =>
      this.replies.settle(tx, claim, reply, end),
    );
    if (isGivenUp) this.replies.reportGivenUp();
    if (end.kind === 'unavailable') throw new PeerUnavailableError('the Bot API cannot be reached');
    if (end.kind === 'failed') throw end.error;
    return true;
  }

  private async end(tx: Tx, claim: Claim, againInMs: number | null): Promise<void> {
    await this.jobs.complete(tx, claim);
    if (againInMs === null) return;
    await this.jobs.enqueue(tx, { queue: INTAKE_QUEUE, key: claim.key, dueInMs: againInMs });
  }
}

/** Chats with a commit of their own at a time, stuck ones included: each needs a connection. */
const ALONE_AT_ONCE = 16;
/** From this many chats at a time, their next updates share commits. */
const BATCH_FROM = 4;
/** Updates of one chat per commit, which holds the chat's locks meanwhile. */
const AT_ONCE = 10;

type Next =
  | {
      /** `over`: the job has ended in the same commit. */
      readonly kind: 'handled' | 'over';
      /** The update at which it stopped, because the key of its PIN is computed outside the commit. */
      readonly stoppedAt: WaitingUpdate | null;
    }
  | Extract<NextBotReply, { kind: 'reply' | 'interrupted' | 'outage' }>;

const OVER: Next = { kind: 'over', stoppedAt: null };

/** The state of one claim of a chat's job. */
interface ChatFlow {
  readonly chatId: number;
  /** Updates per commit; 1 after a commit of several has failed. */
  atMost: number;
  pin: KnownPin | null;
}

/** Whether the Bot API has responded. */
function hasResponded({ kind }: BotReplyOutcome): boolean {
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
