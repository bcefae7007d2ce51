import { Injectable, Logger } from '@nestjs/common';
import { Attention } from '../../../attention';
import { type Tx, type UnitOfWork, UnitsOfWork } from '../../../common/uow';
import { ChannelLimiter } from '../../../delivery';
import { type Claim, type DeadTask, type LaneHandler, type TaskFlow, Tasks } from '../../../tasks';
import { BotIdentity } from '../bot-identity';
import { type AnswerEnd, AnswerSending } from './answer-sending';
import { ChatAnswers, type StoredAnswer } from './chat-answers';
import { Inbox, type WaitingUpdate } from './inbox';
import { incomingOf } from './incoming';
import { PinInput } from './pin-input';
import { UpdateHandling } from './update-handling';

const CONCURRENCY = 16;
/** Of one update, before it goes to a person. */
const MAX_FAILURES = 5;
/** Nobody knows whether it arrived: once more, and not a third time. */
const MAX_UNKNOWN = 2;
const RETRY_MS = 1000;
const CHANNEL = 'telegram';

type Next =
  | { readonly kind: 'update'; readonly waiting: WaitingUpdate }
  | { readonly kind: 'answer'; readonly answer: StoredAnswer }
  | { readonly kind: 'over' };

/**
 * The lane `intake`, a task for each chat in which something was left to do: updates that could not
 * be handled when they came, in the order of their messages, then what the chat is to be told.
 *
 *   intake.look ─┬─> intake.handle (the update's own commit) ─> intake.look …
 *                ├─> call, no connection held ─> intake.answered ─> intake.look …
 *                └─> the task ends
 */
@Injectable()
export class IntakeLane implements LaneHandler {
  readonly lane = 'intake';
  readonly concurrency = CONCURRENCY;
  readonly maxFailures = MAX_FAILURES;
  private readonly logger = new Logger('Telegram');

  constructor(
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly inbox: Inbox,
    private readonly answers: ChatAnswers,
    private readonly handling: UpdateHandling,
    private readonly pins: PinInput,
    private readonly sending: AnswerSending,
    private readonly limiter: ChannelLimiter,
    private readonly attention: Attention,
    private readonly identity: BotIdentity,
  ) {}

  async run(claim: Claim, flow: TaskFlow): Promise<void> {
    await this.units.run('intake', async (uow) => {
      while (await this.step(uow, claim, flow));
    });
  }

  /** The update that could not be handled goes to a person; those behind it are next. */
  async onDead(tx: Tx, task: DeadTask): Promise<void> {
    const chatId = Number(task.key);
    const poison = await this.inbox.nextWaiting(tx, chatId);
    if (poison === undefined) return;
    const { updateId } = poison;
    await this.inbox.end(tx, { chatId, updateId }, 'dead');
    await this.attention.raise(tx, {
      kind: 'dead',
      subject: `telegram-update:${String(this.identity.botId)}:${updateId}`,
      taskId: task.taskId,
      reason: 'a message from Telegram could not be handled; it is kept as it came',
    });
    await this.handling.makeDue(tx, chatId);
  }

  private async step(uow: UnitOfWork, claim: Claim, flow: TaskFlow): Promise<boolean> {
    flow.signal.throwIfAborted();
    const next = await uow.commit('intake.look', (tx) => this.look(tx, claim));
    switch (next.kind) {
      case 'update':
        await this.handle(uow, claim, next.waiting);
        return true;
      case 'answer':
        return this.send(uow, claim, flow, next.answer);
      case 'over':
        return false;
    }
  }

  private async look(tx: Tx, claim: Claim): Promise<Next> {
    const chatId = Number(claim.key);
    await this.tasks.fence(tx, claim);
    const waiting = await this.inbox.nextWaiting(tx, chatId);
    if (waiting !== undefined) return { kind: 'update', waiting };
    const answer = await this.answers.next(tx, chatId);
    const pausedForMs = answer === undefined ? 0 : await this.limiter.pausedForMs(tx, CHANNEL);
    if (answer !== undefined && pausedForMs === 0) return { kind: 'answer', answer };
    await this.end(tx, claim, answer === undefined ? null : pausedForMs);
    return { kind: 'over' };
  }

  private async handle(
    uow: UnitOfWork,
    claim: Claim,
    { updateId, update }: WaitingUpdate,
  ): Promise<void> {
    const chatId = Number(claim.key);
    const incoming = incomingOf(update);
    const pinKey = await this.pins.keyOf(update);
    const handled = await uow.commit('intake.handle', async (tx) => {
      const account = incoming.kind === 'person' ? await this.handling.lock(tx, incoming) : null;
      await this.tasks.fence(tx, claim);
      await this.inbox.end(tx, { chatId, updateId }, 'handled');
      if (account !== null) return this.handling.handle(tx, update, account, pinKey);
      return this.handling.leave(tx, chatId);
    });
    for (const work of handled.afterCommit) work();
  }

  private async send(
    uow: UnitOfWork,
    claim: Claim,
    flow: TaskFlow,
    answer: StoredAnswer,
  ): Promise<boolean> {
    flow.assertLease();
    const end = await this.sending.send(Number(claim.key), answer.call, flow.signal);
    if (end.kind !== 'unknown') flow.peerAnswered();
    if (end.kind === 'refused') this.logger.warn(`an answer was refused: ${end.description}`);
    return uow.commit('intake.answered', (tx) => this.answered(tx, claim, answer, end));
  }

  /** False when the task has ended. */
  private async answered(
    tx: Tx,
    claim: Claim,
    { id, tries }: StoredAnswer,
    end: AnswerEnd,
  ): Promise<boolean> {
    await this.tasks.fence(tx, claim);
    switch (end.kind) {
      case 'sent':
      case 'refused':
        await this.answers.remove(tx, id);
        return true;
      case 'blocked':
        await this.answers.removeAll(tx, Number(claim.key));
        return true;
      case 'paused':
        await this.limiter.pause(tx, CHANNEL, end.forMs);
        await this.end(tx, claim, end.forMs);
        return false;
      case 'unknown':
        if (tries + 1 >= MAX_UNKNOWN) await this.answers.remove(tx, id);
        else await this.answers.tried(tx, id);
        await this.end(tx, claim, RETRY_MS);
        return false;
    }
  }

  private async end(tx: Tx, claim: Claim, againInMs: number | null): Promise<void> {
    await this.tasks.complete(tx, claim);
    if (againInMs === null) return;
    await this.tasks.upsert(tx, { lane: 'intake', key: claim.key, dueInMs: againInMs });
  }
}
