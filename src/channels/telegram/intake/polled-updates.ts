import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock, settledWithin } from '../../../common/clock';
import { describeError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import { incomingOf } from './update-handling';
import { UpdateIntake } from './update-intake';

/**
 * Stores polled updates: several chats at once, the updates of one chat one after the other. A slow
 * chat does not hold up the others: its updates stay with Telegram and come again in the next batch.
 */
@Injectable()
export class PolledUpdates {
  private readonly logger = new Logger('Telegram');
  private readonly busy = new Map<number, Promise<void>>();
  /** Update ids that are durable but not confirmed, because an earlier update is not durable. */
  private readonly stored = new Set<number>();
  private hasFailed = false;
  private isStopped = false;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly intake: UpdateIntake,
    private readonly clock: Clock,
  ) {}

  /**
   * `offset`: the offset of the next poll, before which every update is durable; null without updates.
   * `isBehind`: some updates of this batch are not durable yet.
   */
  async take(updates: readonly Update[]): Promise<{ offset: number | null; isBehind: boolean }> {
    const chats = this.newByChat(updates);
    const takeChats = async (): Promise<void> => {
      for (let next = chats.shift(); next !== undefined; next = chats.shift()) {
        await this.follow(next);
      }
    };
    await this.forAWhile(Promise.all(Array.from({ length: CHATS_AT_A_TIME }, takeChats)));
    // Updates that were not begun come again.
    chats.splice(0);
    const ids = updates.map(({ update_id: id }) => id).sort((a, b) => a - b);
    const missing = ids.find((id) => !this.stored.has(id));
    const last = ids.at(-1);
    const offset = missing ?? (last === undefined ? null : last + 1);
    if (missing === undefined) this.hasFailed = false;
    for (const id of this.stored) if (offset !== null && id < offset) this.stored.delete(id);
    return { offset, isBehind: missing !== undefined };
  }

  /** Updates that are not being stored by now stay with Telegram. */
  stop(): void {
    this.isStopped = true;
  }

  /** Resolves when no update is being stored. */
  async settle(): Promise<void> {
    await Promise.all(this.busy.values());
  }

  private newByChat(updates: readonly Update[]): (readonly [number, Update[]])[] {
    const chats = new Map<number, Update[]>();
    for (const update of updates) {
      if (this.stored.has(update.update_id)) continue;
      const incoming = incomingOf(update);
      const chatId = incoming.kind === 'ignored' ? 0 : incoming.chatId;
      if (!this.busy.has(chatId)) chats.set(chatId, [...(chats.get(chatId) ?? []), update]);
    }
    return [...chats];
  }

  private async follow([chatId, updates]: readonly [number, Update[]]): Promise<void> {
    const following = this.takeInOrder(updates).finally(() => this.busy.delete(chatId));
    this.busy.set(chatId, following);
    await following;
  }

  /** Ends at the first update that could not be stored: it comes again with those behind it. */
  private async takeInOrder(updates: readonly Update[]): Promise<void> {
    for (const update of updates) {
      if (this.isStopped) return;
      try {
        await this.units.run('telegram', (uow) => this.intake.take(uow, update));
        this.stored.add(update.update_id);
      } catch (error) {
        if (!this.hasFailed) {
          const why = describeError(error);
          this.logger.warn(`storing an update failed; Telegram sends it again: ${why}`);
        }
        this.hasFailed = true;
        return;
      }
    }
  }

  private async forAWhile(work: Promise<unknown>): Promise<void> {
    await settledWithin(this.clock, BATCH_WAIT_MS, work);
  }
}

/** Chats whose updates are stored at a time; most of them share a commit. */
const CHATS_AT_A_TIME = 16;
/** How long the poller waits for the other updates of a batch. */
const BATCH_WAIT_MS = 250;
