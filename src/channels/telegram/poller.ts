import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock } from '../../common/clock';
import { describeError } from '../../common/errors';
import { BotApi } from './api/bot-api';
import { BotApiError } from './api/bot-api-error';
import { ALLOWED_UPDATES, incomingOf } from './intake/incoming';
import { UpdateIntake } from './intake/update-intake';
import { PollerLease } from './poller-lease';

const BATCH = 100;
/** Chats of one batch that are taken in at a time: each needs a pooled connection for a moment. */
const CHATS_AT_A_TIME = 3;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Beyond the long poll itself, for the answer to arrive. */
const POLL_SLACK_MS = 5000;

/**
 * Long polling, by one replica at a time.
 *
 *   standby ──lease free──> polling ──lease lost, or stop──> standby | stopped
 *
 * The offset moves on, which makes Telegram forget, only when every update before it is durable;
 * after a failure the same updates come again, and those that are known change nothing.
 */
@Injectable()
export class Poller {
  private readonly logger = new Logger('Telegram');
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private offset = 0;
  private failures = 0;

  constructor(
    private readonly api: BotApi,
    private readonly lease: PollerLease,
    private readonly intake: UpdateIntake,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when nothing is polled and everything that was answered is stored. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let isWebhookGone = false;
    while (!this.isStopping()) {
      try {
        if (!(await this.lease.take())) {
          await this.clock.sleep(this.lease.leaseMs / 3, signal);
          continue;
        }
        if (!isWebhookGone) await this.api.call('deleteWebhook', {}, { signal });
        isWebhookGone = true;
        await this.poll(signal);
        this.failures = 0;
      } catch (error) {
        if (!this.isStopping()) await this.backOff(error, signal);
      }
    }
    await this.lease.giveBack().catch(() => undefined);
  }

  private async poll(signal: AbortSignal): Promise<void> {
    // Shorter than the lease, which is renewed before each.
    const timeout = Math.max(0, Math.floor((this.lease.leaseMs * 2) / 3 / 1000));
    const updates = await this.api.call(
      'getUpdates',
      { offset: this.offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES },
      { signal, timeoutMs: timeout * 1000 + POLL_SLACK_MS },
    );
    await this.takeAll(updates);
    const last = updates.at(-1);
    if (last !== undefined) this.offset = last.update_id + 1;
    else if (timeout === 0) await this.clock.sleep(this.lease.leaseMs / 3, signal);
  }

  /** Chat by chat, several chats at once; in a chat one after the other. */
  private async takeAll(updates: readonly Update[]): Promise<void> {
    const chats = byChat(updates);
    const takeChats = async (): Promise<void> => {
      for (let chat = chats.shift(); chat !== undefined; chat = chats.shift()) {
        for (const update of chat) await this.intake.take(update);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: CHATS_AT_A_TIME }, takeChats));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async backOff(error: unknown, signal: AbortSignal): Promise<void> {
    this.failures += 1;
    const paused = error instanceof BotApiError && error.failure.kind === 'paused';
    const delayMs = paused
      ? error.failure.forMs
      : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
    const ms = String(Math.round(delayMs));
    this.logger.warn(`polling failed, again in ${ms} ms: ${describeError(error)}`);
    await this.clock.sleep(delayMs, signal);
  }
}

function byChat(updates: readonly Update[]): Update[][] {
  const chats = new Map<number, Update[]>();
  for (const update of updates) {
    const incoming = incomingOf(update);
    const chatId = incoming.kind === 'ignored' ? 0 : incoming.chatId;
    chats.set(chatId, [...(chats.get(chatId) ?? []), update]);
  }
  return [...chats.values()];
}
