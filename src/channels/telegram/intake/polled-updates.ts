import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { describeError } from '../../../common/errors';
import { incomingOf } from './incoming';
import { UpdateIntake } from './update-intake';

/** Chats that are taken in at a time; most of them share a commit. */
const CHATS_AT_A_TIME = 16;
/** How long the others of a batch are waited for by whoever polls. */
const PATIENCE_MS = 250;

/**
 * Polled updates on their way into the inbox: several chats at once, a chat's one after the other.
 * A chat that takes long is left behind: its updates stay with Telegram and come again with the
 * next batch, while those of the other chats go on.
 */
@Injectable()
export class PolledUpdates {
  private readonly logger = new Logger('Telegram');
  private readonly busy = new Map<number, Promise<void>>();
  /** Durable, and not confirmed yet: an earlier one is not. */
  private readonly stored = new Set<number>();
  private hasFailed = false;
  private isStopped = false;

  constructor(
    private readonly intake: UpdateIntake,
    private readonly clock: Clock,
  ) {}

  /**
   * Answers up to where everything is durable: the offset of the next poll, or null when there was
   * nothing. `isBehind`: something of this batch is not durable yet.
   */
  async take(updates: readonly Update[]): Promise<{ offset: number | null; isBehind: boolean }> {
    const chats = this.newByChat(updates);
    const takeChats = async (): Promise<void> => {
      for (let next = chats.shift(); next !== undefined; next = chats.shift()) {
        await this.follow(next);
      }
    };
    await this.forAWhile(Promise.all(Array.from({ length: CHATS_AT_A_TIME }, takeChats)));
    // What was not begun yet comes again.
    chats.splice(0);
    const ids = updates.map(({ update_id: id }) => id).sort((a, b) => a - b);
    const missing = ids.find((id) => !this.stored.has(id));
    const last = ids.at(-1);
    const offset = missing ?? (last === undefined ? null : last + 1);
    if (missing === undefined) this.hasFailed = false;
    for (const id of this.stored) if (offset !== null && id < offset) this.stored.delete(id);
    return { offset, isBehind: missing !== undefined };
  }

  /** What is not on its way into the database by now stays with Telegram. */
  stop(): void {
    this.isStopped = true;
  }

  /** Resolves when nothing is on its way any more. */
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

  /** Ends at the first that could not be stored: it comes again, and so do those behind it. */
  private async takeInOrder(updates: readonly Update[]): Promise<void> {
    for (const update of updates) {
      if (this.isStopped) return;
      try {
        await this.intake.take(update);
        this.stored.add(update.update_id);
      } catch (error) {
        const why = describeError(error);
        if (!this.hasFailed) this.logger.warn(`an update could not be stored yet: ${why}`);
        this.hasFailed = true;
        return;
      }
    }
  }

  private async forAWhile(work: Promise<unknown>): Promise<void> {
    const settled = new AbortController();
    await Promise.race([work, this.clock.sleep(PATIENCE_MS, settled.signal)]);
    settled.abort();
  }
}
