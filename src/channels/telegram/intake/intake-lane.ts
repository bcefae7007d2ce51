import { Injectable } from '@nestjs/common';
import { type Tx, type UnitOfWork, UnitsOfWork } from '../../../common/uow';
import {
  type Claim,
  type DeadTask,
  type LaneHandler,
  PeerUnavailableError,
  type TaskFlow,
  Tasks,
} from '../../../tasks';
import { type AnswerEnd, AnswerSending } from './answer-sending';
import { AnswerSettling, type NextAnswer } from './answer-settling';
import type { StoredAnswer } from './chat-answers';
import { Inbox, type WaitingUpdate } from './inbox';
import { incomingOf } from './incoming';
import { PinInput } from './pin-input';
import { Poison } from './poison';
import { UpdateHandling } from './update-handling';

const CONCURRENCY = 16;
/** Of one update, before it goes to a person. */
const MAX_FAILURES = 5;

type Next =
  | { readonly kind: 'update'; readonly waiting: WaitingUpdate }
  | { readonly kind: 'over' }
  | Extract<NextAnswer, { kind: 'answer' | 'given_up' }>;

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

  constructor(
    private readonly units: UnitsOfWork,
    private readonly tasks: Tasks,
    private readonly inbox: Inbox,
    private readonly handling: UpdateHandling,
    private readonly pins: PinInput,
    private readonly sending: AnswerSending,
    private readonly settling: AnswerSettling,
    private readonly poison: Poison,
  ) {}

  async run(claim: Claim, flow: TaskFlow): Promise<void> {
    await this.units.run('intake', async (uow) => {
      while (await this.step(uow, claim, flow));
    });
  }

  /** What the chat is stuck on is taken out of its way; what is behind it is next. */
  async onDead(tx: Tx, task: DeadTask): Promise<void> {
    const chatId = Number(task.key);
    if (await this.poison.remove(tx, chatId, task.taskId)) await this.handling.makeDue(tx, chatId);
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
      case 'given_up':
        this.settling.tell(next);
        return true;
      case 'over':
        return false;
    }
  }

  private async look(tx: Tx, claim: Claim): Promise<Next> {
    const chatId = Number(claim.key);
    await this.tasks.fence(tx, claim);
    const waiting = await this.inbox.nextWaiting(tx, chatId);
    if (waiting !== undefined) return { kind: 'update', waiting };
    const next = await this.settling.take(tx, chatId);
    if (next.kind === 'answer' || next.kind === 'given_up') return next;
    await this.end(tx, claim, next.kind === 'later' ? next.inMs : null);
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

  /** False when the task has ended. Throws PeerUnavailableError when the Bot API is away. */
  private async send(
    uow: UnitOfWork,
    claim: Claim,
    flow: TaskFlow,
    answer: StoredAnswer,
  ): Promise<boolean> {
    flow.assertLease();
    const end = await this.sending.send(Number(claim.key), answer.call, flow.signal);
    this.settling.tell(end);
    if (hasAnswered(end)) flow.peerAnswered();
    const goesOn = await uow.commit('intake.answered', async (tx) => {
      const againInMs = await this.settling.settle(tx, claim, answer, end);
      if (againInMs !== null) await this.end(tx, claim, againInMs);
      return againInMs === null;
    });
    if (end.kind === 'away') throw new PeerUnavailableError('the Bot API is away');
    if (end.kind === 'failed') throw end.error;
    return goesOn;
  }

  private async end(tx: Tx, claim: Claim, againInMs: number | null): Promise<void> {
    await this.tasks.complete(tx, claim);
    if (againInMs === null) return;
    await this.tasks.upsert(tx, { lane: 'intake', key: claim.key, dueInMs: againInMs });
  }
}

/** Whether the Bot API has been heard of. */
function hasAnswered({ kind }: AnswerEnd): boolean {
  return kind !== 'unknown' && kind !== 'away' && kind !== 'failed';
}
