import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../common/uow';
import type { TelegramAccount } from '../accounts';
import { UpdateRepository, type WaitingUpdate } from './inbox';
import { incomingOf } from './incoming';
import { pinOf } from './pin-input';
import { type HandledUpdate, NOTHING_HANDLED, UpdateHandling } from './update-handling';

/** The key of an update's PIN, made outside the commit. */
export interface KnownPin {
  readonly updateId: string;
  readonly key: string | null;
}

/** What was done about a chat's waiting updates. */
interface CaughtUp extends HandledUpdate {
  readonly wasAny: boolean;
  /** Nothing of the chat waits any more, as far as was seen. */
  readonly isAll: boolean;
  /** Not handled: it reads as a PIN, and its key is not known. */
  readonly stoppedAt: WaitingUpdate | null;
}

interface Chat {
  readonly chatId: number;
  /** Locked; null: a group, or nobody any more. */
  readonly account: TelegramAccount | null;
  readonly atMost: number;
  readonly pin: KnownPin | null;
}

/** Updates that were stored to wait, handled inside a commit of the lane, whose task is fenced. */
@Injectable()
export class WaitingUpdates {
  constructor(
    private readonly inbox: UpdateRepository,
    private readonly handling: UpdateHandling,
  ) {}

  /** The chat's next ones, in order. */
  async handle(tx: Tx, { chatId, account, atMost, pin }: Chat): Promise<CaughtUp> {
    const waiting = await this.inbox.nextWaiting(tx, chatId, atMost);
    const needsKey = (one: WaitingUpdate): boolean =>
      pinOf(one.update) !== null && pin?.updateId !== one.updateId;
    const stoppedAt = waiting.find(needsKey) ?? null;
    const ready = stoppedAt === null ? waiting : waiting.slice(0, waiting.indexOf(stoppedAt));
    const afterCommit: (() => void)[] = [];
    let hasAnswers = waiting[0]?.hasAnswers === true;
    // What is known of the account is so until something was handled.
    let locked = account;
    for (const one of ready) {
      const handled = await this.handleOne(tx, chatId, locked, one, pin);
      locked = null;
      afterCommit.push(...handled.afterCommit);
      hasAnswers ||= handled.hasAnswers;
    }
    const isAll = ready.length < atMost && stoppedAt === null;
    return { wasAny: waiting.length > 0, isAll, hasAnswers, afterCommit, stoppedAt };
  }

  private async handleOne(
    tx: Tx,
    chatId: number,
    locked: TelegramAccount | null,
    { updateId, update }: WaitingUpdate,
    pin: KnownPin | null,
  ): Promise<HandledUpdate> {
    // It is gone with its person, if the one before it has them forgotten.
    if (!(await this.inbox.end(tx, { chatId, updateId }, 'handled'))) return NOTHING_HANDLED;
    const incoming = incomingOf(update);
    if (incoming.kind !== 'person') return this.handling.leave(tx, chatId);
    const account = locked ?? (await this.handling.lock(tx, incoming));
    const pinKey = pin?.updateId === updateId ? pin.key : null;
    return this.handling.handle(tx, update, account, pinKey);
  }
}
