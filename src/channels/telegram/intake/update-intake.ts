import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { describeError } from '../../../common/errors';
import { Metrics } from '../../../common/metrics';
import { type Tx, UnitsOfWork } from '../../../common/uow';
import { TaskWorker } from '../../../tasks';
import { BotIdentity } from '../bot-identity';
import { Inbox } from './inbox';
import { type Incoming, incomingOf } from './incoming';
import { PinInput } from './pin-input';
import { type HandledUpdate, UpdateHandling } from './update-handling';

type Known = Exclude<Incoming, { kind: 'ignored' }>;
type Outcome = 'handled' | 'waiting' | 'known' | 'ignored';

const NOTHING: HandledUpdate = { afterCommit: [], hasAnswers: false };

/**
 * How an update gets in, polled or pushed: when `take` has resolved it is durable, and Telegram may
 * forget it.
 *
 *   telegram.take  the update's number and all that it changes, in one commit
 *   telegram.keep  that did not land: the update as it is, for the lane `intake`
 *
 * A chat in which something waits already gets its later updates in behind it.
 */
@Injectable()
export class UpdateIntake {
  private readonly logger = new Logger('Telegram');
  private readonly taken;

  constructor(
    private readonly units: UnitsOfWork,
    private readonly handling: UpdateHandling,
    private readonly inbox: Inbox,
    private readonly pins: PinInput,
    private readonly identity: BotIdentity,
    private readonly worker: TaskWorker,
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
    const pinKey = await this.pins.keyOf(update);
    return this.units.run('telegram', async (uow) => {
      try {
        const { outcome, handled } = await uow.commit('telegram.take', (tx) =>
          this.takeNow(tx, update, incoming, pinKey),
        );
        for (const work of handled.afterCommit) work();
        if (handled.hasAnswers || outcome === 'waiting') this.worker.poke('intake');
        return outcome;
      } catch (error) {
        const isNew = await uow.commit('telegram.keep', (tx) => this.keep(tx, update, incoming));
        const name = `update ${String(update.update_id)}`;
        if (isNew)
          this.logger.warn(`${name} could not be handled at once: ${describeError(error)}`);
        this.worker.poke('intake');
        return isNew ? 'waiting' : 'known';
      }
    });
  }

  private async takeNow(
    tx: Tx,
    update: Update,
    incoming: Known,
    pinKey: string | null,
  ): Promise<{ outcome: Outcome; handled: HandledUpdate }> {
    if (incoming.kind === 'public') {
      const isNew = await this.add(tx, update, incoming, null);
      if (!isNew) return { outcome: 'known', handled: NOTHING };
      return { outcome: 'handled', handled: await this.handling.leave(tx, incoming.chatId) };
    }
    // Before the lock as well: where it cannot be had, only the chat's first update waits for it.
    if (await this.inbox.hasWaiting(tx, incoming.chatId)) return this.queue(tx, update, incoming);
    const account = await this.handling.lock(tx, incoming);
    if (await this.inbox.hasWaiting(tx, incoming.chatId)) return this.queue(tx, update, incoming);
    const isNew = await this.add(tx, update, incoming, null);
    if (!isNew) return { outcome: 'known', handled: NOTHING };
    return {
      outcome: 'handled',
      handled: await this.handling.handle(tx, update, account, pinKey),
    };
  }

  private async queue(
    tx: Tx,
    update: Update,
    incoming: Known,
  ): Promise<{ outcome: Outcome; handled: HandledUpdate }> {
    const isNew = await this.keep(tx, update, incoming);
    return { outcome: isNew ? 'waiting' : 'known', handled: NOTHING };
  }

  /** Without the account's lock: it may be what could not be had. */
  private async keep(tx: Tx, update: Update, incoming: Known): Promise<boolean> {
    if (incoming.kind === 'person') await this.handling.ensure(tx, incoming);
    const isNew = await this.add(tx, update, incoming, update);
    if (isNew) await this.handling.makeDue(tx, incoming.chatId);
    return isNew;
  }

  private add(tx: Tx, update: Update, incoming: Known, payload: Update | null): Promise<boolean> {
    return this.inbox.add(tx, this.identity.botId, {
      updateId: update.update_id,
      chatId: incoming.chatId,
      messageId: incoming.kind === 'person' ? incoming.messageId : null,
      accountId: incoming.kind === 'person' ? incoming.chatId : null,
      payload,
    });
  }
}
