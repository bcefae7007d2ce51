import { Injectable, Logger } from '@nestjs/common';
import { currentTraceparent, runFlow } from '../../../common/tracing';
import type { Tx, UnitOfWork } from '../../../common/uow';
import { BotIdentity } from '../account';
import { UpdateRepository, type KeptState, type StoredState } from './update.repository';
import type { Update } from 'telegraf/types';
import { describeError } from '../../../common/errors';
import { Metrics } from '../../../common/metrics';
import type { TelegramAccount } from '../account.repository';
import { type Incoming, PinInput, UpdateHandling, incomingOf } from './update-handling';
import { UpdateBatcher } from './update-batcher';

/**
 * Stores an update, polled or pushed. When `take` has resolved, it is durable and Telegram may forget
 * it.
 *
 *   telegram.take         the update's number and all that it changes, in one commit
 *   telegram.keep         after take has failed: the update unchanged, for the queue `intake`
 *   telegram.store_batch  while several are being stored: the updates of many chats unchanged, for
 *                         the queue, in one commit. One that cannot be stored so, or whose batch
 *                         fails, is stored by take.
 *
 * A chat that has waiting updates gets its later ones behind them.
 */
@Injectable()
export class UpdateIntake {
  private readonly logger = new Logger('Telegram');
  private readonly taken;
  private readonly takenAlone = new BusyChats();
  private readonly batched = new BusyChats();
  /** The error of the last batch that could not be stored. */
  private lastOfBatch: unknown = null;

  constructor(
    private readonly handling: UpdateHandling,
    private readonly batcher: UpdateBatcher,
    private readonly inbox: UpdateRepository,
    private readonly pins: PinInput,
    private readonly identity: BotIdentity,
    metrics: Metrics,
  ) {
    this.taken = metrics.counter(
      'telegram_updates_total',
      'Updates that came in, by what became of them',
      ['outcome'],
    );
  }

  /**
   * `uow`: the unit of the webhook's request, or of the polled update. Throws when the update could not
   * be stored; Telegram then keeps it.
   */
  async take(uow: UnitOfWork, update: Update): Promise<void> {
    const incoming = incomingOf(update);
    const outcome =
      incoming.kind === 'ignored'
        ? 'ignored'
        : await runFlow(
            // The webhook's request, if there is one.
            { name: 'telegram update', kind: 'consumer', parent: currentTraceparent() },
            () => this.store(uow, update, incoming),
          );
    this.taken.inc({ outcome });
  }

  private async store(uow: UnitOfWork, update: Update, incoming: KnownUpdate): Promise<Outcome> {
    const { chatId } = incoming;
    if (incoming.kind === 'person' && this.isForLater(chatId)) {
      const kept = await this.batched.within(chatId, () =>
        this.storeInBatch(uow, update, incoming),
      );
      if (kept !== 'left') return kept;
    }
    return this.takenAlone.within(chatId, () => this.storeAlone(uow, update, incoming));
  }

  /** While earlier updates of a chat are batched, its later ones are too, so that their order stays. */
  private isForLater(chatId: number): boolean {
    if (this.batched.has(chatId)) return true;
    if (this.takenAlone.has(chatId)) return false;
    return this.takenAlone.size + this.batched.size >= TAKEN_AT_ONCE;
  }

  private async storeInBatch(
    uow: UnitOfWork,
    update: Update,
    { chatId, messageId }: Person,
  ): Promise<KeptState> {
    try {
      return await this.batcher.keep(uow, { update, accountId: chatId, messageId });
    } catch (error) {
      // All updates of a batch get the same error, which is logged once.
      if (error !== this.lastOfBatch) {
        this.logger.warn(
          `storing a batch of updates failed; storing them one at a time: ${describeError(error)}`,
        );
      }
      this.lastOfBatch = error;
      return 'left';
    }
  }

  private async storeAlone(
    uow: UnitOfWork,
    update: Update,
    incoming: KnownUpdate,
  ): Promise<Outcome> {
    const pinKey = await this.pins.keyOf(uow, update);
    try {
      return await uow.commit('telegram.take', (tx) => this.takeNow(tx, update, incoming, pinKey));
    } catch (error) {
      const outcome = await uow.commit('telegram.keep', (tx) => this.keep(tx, update, incoming));
      if (outcome === 'waiting')
        this.logger.warn(
          `handling update ${String(update.update_id)} failed; it is stored and the queue intake ` +
            `handles it: ${describeError(error)}`,
        );
      return outcome;
    }
  }

  private async takeNow(
    tx: Tx,
    update: Update,
    incoming: KnownUpdate,
    pinKey: string | null,
  ): Promise<Outcome> {
    if (incoming.kind === 'public') {
      const state = await this.add(tx, update, incoming, { mustWait: false });
      if (state !== 'handled') return this.notHandled(tx, incoming, state);
      await this.handling.leave(tx, incoming.chatId);
      return 'handled';
    }
    const taken = await this.lockAndAdd(tx, update, incoming);
    if (taken === null) return this.keep(tx, update, incoming);
    const { account, state } = taken;
    if (state !== 'handled') return this.notHandled(tx, incoming, state);
    await this.handling.handle(tx, update, account, pinKey);
    return 'handled';
  }

  /** Null: updates of the chat are waiting. Only the first update waits for a lock that is taken. */
  private async lockAndAdd(
    tx: Tx,
    update: Update,
    incoming: Person,
  ): Promise<{ account: TelegramAccount; state: StoredState | null } | null> {
    const { chatId, messageId } = incoming;
    const taken = await this.inbox.take(tx, this.identity.botId, { update, chatId, messageId });
    if (taken !== null) return taken;
    if (await this.inbox.hasWaiting(tx, chatId)) return null;
    const account = await this.handling.lock(tx, incoming);
    return { account, state: await this.add(tx, update, incoming, { mustWait: false }) };
  }

  /** Without the account's lock, because `take` may have failed to get it. */
  private async keep(tx: Tx, update: Update, incoming: KnownUpdate): Promise<Outcome> {
    if (incoming.kind === 'person') await this.handling.ensure(tx, incoming);
    const state = await this.add(tx, update, incoming, { mustWait: true });
    return this.notHandled(tx, incoming, state === null ? null : 'waiting');
  }

  private async notHandled(
    tx: Tx,
    { chatId }: KnownUpdate,
    state: 'waiting' | null,
  ): Promise<Outcome> {
    if (state === 'waiting') await this.handling.makeDue(tx, chatId);
    return state ?? 'known';
  }

  private add(
    tx: Tx,
    update: Update,
    incoming: KnownUpdate,
    { mustWait }: { mustWait: boolean },
  ): Promise<StoredState | null> {
    return this.inbox.add(tx, this.identity.botId, {
      update,
      chatId: incoming.chatId,
      messageId: incoming.kind === 'person' ? incoming.messageId : null,
      accountId: incoming.kind === 'person' ? incoming.chatId : null,
      mustWait,
    });
  }
}

/** While this many updates are being taken, further ones are batched: each alone needs a connection. */
const TAKEN_AT_ONCE = 4;

/** Counts what this process is doing, by chat. */
export class BusyChats {
  private readonly counts = new Map<number, number>();
  private all = 0;

  /** The sum over all chats. */
  get size(): number {
    return this.all;
  }

  has(chatId: number): boolean {
    return this.counts.has(chatId);
  }

  async within<T>(chatId: number, work: () => Promise<T>): Promise<T> {
    this.add(chatId, 1);
    try {
      return await work();
    } finally {
      this.add(chatId, -1);
    }
  }

  private add(chatId: number, by: 1 | -1): void {
    this.all += by;
    const count = (this.counts.get(chatId) ?? 0) + by;
    if (count === 0) this.counts.delete(chatId);
    else this.counts.set(chatId, count);
  }
}

type KnownUpdate = Exclude<Incoming, { kind: 'ignored' }>;

type Outcome = 'handled' | 'waiting' | 'known' | 'ignored';

type Person = Extract<Incoming, { kind: 'person' }>;
