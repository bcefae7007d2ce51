import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { describeError } from '../../../common/errors';
import { incomingOf, ALLOWED_UPDATES, isUpdate } from './incoming';
import { UpdateIntake } from './update-intake';
import { Metrics } from '../../../common/metrics';
import { BotApi } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-errors';
import { BotHealth } from '../api/bot-health';
import { PollerLeaseRepository } from './poller-lease.repository';

/** Chats that are taken in at a time; most of them share a commit. */
const CHATS_AT_A_TIME = 16;
/** How long the poller waits for the other updates of a batch. */
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
   * Returns up to where everything is durable: the offset of the next poll, or null when there was
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

const BATCH = 100;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Between two looks at what is not durable yet. */
const BEHIND_MS = 250;
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
  private isWebhookGone = false;
  private holdsLease = false;

  constructor(
    private readonly api: BotApi,
    private readonly condition: BotHealth,
    private readonly lease: PollerLeaseRepository,
    private readonly updates: PolledUpdates,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'telegram_polling',
      'Whether this replica asks Telegram for updates',
      [],
      (gauge) => {
        gauge.set(this.holdsLease ? 1 : 0);
      },
    );
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when nothing is polled or being stored; what is not stored stays with Telegram. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.updates.stop();
    await this.running;
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!this.isStopping()) {
      try {
        const endsInMs = await this.lease.take();
        this.holdsLease = endsInMs === 0;
        if (this.holdsLease) await this.pollOnce(signal);
        // Given back, it is free earlier; not renewed, it is free then and no later.
        else await this.clock.sleep(Math.min(this.lease.leaseMs / 3, Math.ceil(endsInMs)), signal);
        this.failures = 0;
      } catch (error) {
        if (!this.isStopping()) await this.backOff(error, signal);
      }
    }
    await this.updates.settle();
    this.holdsLease = false;
    // Otherwise the lease lapses.
    await this.lease.giveBack().catch(() => undefined);
  }

  private async pollOnce(signal: AbortSignal): Promise<void> {
    if (!this.isWebhookGone) await this.api.call('deleteWebhook', {}, { signal });
    this.isWebhookGone = true;
    // Shorter than the lease, which is renewed before each.
    const timeout = Math.max(0, Math.floor((this.lease.leaseMs * 2) / 3 / 1000));
    const { offset, isBehind } = await this.updates.take(await this.ask(timeout, signal));
    this.offset = offset ?? this.offset;
    if (isBehind) await this.clock.sleep(BEHIND_MS, signal);
    else if (offset === null && timeout === 0) {
      await this.clock.sleep(this.lease.leaseMs / 3, signal);
    }
  }

  private async ask(timeout: number, signal: AbortSignal): Promise<readonly Update[]> {
    const answer: unknown = await this.api.call(
      'getUpdates',
      { offset: this.offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES },
      { signal, timeoutMs: timeout * 1000 + POLL_SLACK_MS },
    );
    if (Array.isArray(answer) && answer.every(isUpdate)) return answer;
    const failure = { kind: 'unknown', cause: 'no list of updates' } as const;
    this.condition.failed('getUpdates', failure);
    throw new BotApiError('getUpdates', failure);
  }

  /** BotHealth logs a failure of the bot once; other errors are logged at their first occurrence. */
  private async backOff(error: unknown, signal: AbortSignal): Promise<void> {
    this.failures += 1;
    const isOfBot = error instanceof BotApiError;
    if (isOfBot && error.failure.kind === 'conflict') this.isWebhookGone = false;
    if (!isOfBot && this.failures === 1) {
      this.logger.warn(`polling has stopped for a while: ${describeError(error)}`);
    }
    await this.clock.sleep(this.delayMs(error), signal);
  }

  private delayMs(error: unknown): number {
    if (!(error instanceof BotApiError)) return this.lease.leaseMs / 3;
    if (error.failure.kind === 'paused') return error.failure.forMs;
    return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
  }
}
