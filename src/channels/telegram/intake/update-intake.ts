import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { describeError } from '../../../common/errors';
import { Metrics } from '../../../common/metrics';
import { type Tx, UnitOfWorkFactory } from '../../../common/uow';
import type { TelegramAccount } from '../account.repository';
import { BotIdentity } from '../bot-identity';
import { UpdateBatcher } from './update-batcher';
import { UpdateRepository, type KeptState, type StoredState } from './update.repository';
import { type Incoming, incomingOf } from './incoming';
import { PinInput } from './pin-input';
import { UpdateHandling } from './update-handling';

/** Chats in which something is under way in this process, a chat once for each. */
export class BusyChats {
  private readonly counts = new Map<number, number>();
  private all = 0;

  /** What is under way in all of them together. */
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

type Known = Exclude<Incoming, { kind: 'ignored' }>;
type Person = Extract<Incoming, { kind: 'person' }>;
type Outcome = 'handled' | 'waiting' | 'known' | 'ignored';

/** While so many are under way, what comes is gathered. Each needs a pooled connection for a moment. */
const TAKEN_AT_ONCE = 4;

/**
 * How an update gets in, polled or pushed: when `take` has resolved it is durable, and Telegram may
 * forget it.
 *
 *   telegram.take    the update's number and all that it changes, in one commit
 *   telegram.keep    that did not land: the update as it is, for the queue `intake`
 *   telegram.gather  a few are being taken already: the updates of many chats as they are, for the
 *                    queue, in one commit. What cannot be stored so, or fails with the others, is
 *                    taken by itself as above.
 *
 * A chat in which something waits already gets its later updates in behind it.
 */
@Injectable()
export class UpdateIntake {
  private readonly logger = new Logger('Telegram');
  private readonly taken;
  private readonly takenAlone = new BusyChats();
  private readonly gathered = new BusyChats();
  /** What the last batch that could not be stored has failed with. */
  private lastOfBatch: unknown = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly handling: UpdateHandling,
    private readonly gathering: UpdateBatcher,
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

  /** Throws when the update could not be stored at all: Telegram has to keep it. */
  async take(update: Update): Promise<void> {
    const incoming = incomingOf(update);
    const outcome = incoming.kind === 'ignored' ? 'ignored' : await this.store(update, incoming);
    this.taken.inc({ outcome });
  }

  private async store(update: Update, incoming: Known): Promise<Outcome> {
    const { chatId } = incoming;
    if (incoming.kind === 'person' && this.isForLater(chatId)) {
      const kept = await this.gathered.within(chatId, () => this.gather(update, incoming));
      if (kept !== 'left') return kept;
    }
    return this.takenAlone.within(chatId, () => this.storeAlone(update, incoming));
  }

  /** What follows an update that is on its way in, follows it the same way. */
  private isForLater(chatId: number): boolean {
    if (this.gathered.has(chatId)) return true;
    if (this.takenAlone.has(chatId)) return false;
    return this.takenAlone.size + this.gathered.size >= TAKEN_AT_ONCE;
  }

  private async gather(update: Update, { chatId, messageId }: Person): Promise<KeptState> {
    try {
      return await this.gathering.keep({ update, accountId: chatId, messageId });
    } catch (error) {
      // It is one for all that it befell.
      if (error !== this.lastOfBatch) {
        this.logger.warn(`updates could not be stored together: ${describeError(error)}`);
      }
      this.lastOfBatch = error;
      return 'left';
    }
  }

  private async storeAlone(update: Update, incoming: Known): Promise<Outcome> {
    const pinKey = await this.pins.keyOf(update);
    return this.units.run('telegram', async (uow) => {
      try {
        return await uow.commit('telegram.take', (tx) =>
          this.takeNow(tx, update, incoming, pinKey),
        );
      } catch (error) {
        const outcome = await uow.commit('telegram.keep', (tx) => this.keep(tx, update, incoming));
        const name = `update ${String(update.update_id)}`;
        if (outcome === 'waiting')
          this.logger.warn(`${name} could not be handled at once: ${describeError(error)}`);
        return outcome;
      }
    });
  }

  private async takeNow(
    tx: Tx,
    update: Update,
    incoming: Known,
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

  /** Null: something of the chat waits. If the lock cannot be had, only the first one waits for it. */
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

  /** Without the account's lock: it may be what could not be had. */
  private async keep(tx: Tx, update: Update, incoming: Known): Promise<Outcome> {
    if (incoming.kind === 'person') await this.handling.ensure(tx, incoming);
    const state = await this.add(tx, update, incoming, { mustWait: true });
    return this.notHandled(tx, incoming, state === null ? null : 'waiting');
  }

  private async notHandled(tx: Tx, { chatId }: Known, state: 'waiting' | null): Promise<Outcome> {
    if (state === 'waiting') await this.handling.makeDue(tx, chatId);
    return state ?? 'known';
  }

  private add(
    tx: Tx,
    update: Update,
    incoming: Known,
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
