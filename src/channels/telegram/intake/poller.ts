import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock, settledWithin } from '../../../common/clock';
import { describeError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import { incomingOf, ALLOWED_UPDATES, isUpdate } from './update-handling';
import { UpdateIntake } from './update-intake';
import { BotApi } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-errors';
import { BotHealth } from '../api/bot-health';
import { PollerLeaseRepository } from './poller-lease.repository';

/** Chats whose updates are stored at a time; most of them share a commit. */
const CHATS_AT_A_TIME = 16;
/** How long the poller waits for the other updates of a batch. */
const BATCH_WAIT_MS = 250;

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

const BATCH = 100;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Pause before updates that are not durable yet are polled again. */
const BEHIND_MS = 250;
/** Time beyond the long poll itself for the response to arrive. */
const POLL_SLACK_MS = 5000;

/**
 * Long polling, by one replica at a time.
 *
 *   standby ──lease free──> polling ──lease lost, or stop──> standby | stopped
 *
 * A higher offset makes Telegram forget the updates before it, so it moves only when they are durable.
 * After a failure the same updates come again; known ones change nothing.
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
    private readonly health: BotHealth,
    private readonly units: UnitOfWorkFactory,
    private readonly lease: PollerLeaseRepository,
    private readonly updates: PolledUpdates,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when nothing is polled or stored; updates that are not stored stay with Telegram. */
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
        const endsInMs = await this.takeLease();
        this.holdsLease = endsInMs === 0;
        if (this.holdsLease) await this.pollOnce(signal);
        // The lease may be given back earlier, and ends then at the latest.
        else await this.clock.sleep(Math.min(this.lease.leaseMs / 3, Math.ceil(endsInMs)), signal);
        this.failures = 0;
      } catch (error) {
        if (!this.isStopping()) await this.backOff(error, signal);
      }
    }
    await this.updates.settle();
    this.holdsLease = false;
    // If that fails, the lease lapses by itself.
    await this.giveLeaseBack().catch(() => undefined);
  }

  /** 0: this replica polls. Otherwise the milliseconds until the other replica's lease ends. */
  private takeLease(): Promise<number> {
    return this.units.run('poller', async (uow) => {
      if (await uow.commitOne('poller.take', (tx) => this.lease.take(tx))) return 0;
      return uow.commitOne('poller.lease_end', (tx) => this.lease.endsInMs(tx));
    });
  }

  private giveLeaseBack(): Promise<void> {
    return this.units.run('poller', (uow) =>
      uow.commitOne('poller.give_back', (tx) => this.lease.giveBack(tx)),
    );
  }

  private async pollOnce(signal: AbortSignal): Promise<void> {
    if (!this.isWebhookGone) await this.api.call('deleteWebhook', {}, { signal });
    this.isWebhookGone = true;
    // Shorter than the lease, which is renewed before each poll.
    const timeout = Math.max(0, Math.floor((this.lease.leaseMs * 2) / 3 / 1000));
    const { offset, isBehind } = await this.updates.take(await this.poll(timeout, signal));
    this.offset = offset ?? this.offset;
    if (isBehind) await this.clock.sleep(BEHIND_MS, signal);
    else if (offset === null && timeout === 0) {
      await this.clock.sleep(this.lease.leaseMs / 3, signal);
    }
  }

  private async poll(timeout: number, signal: AbortSignal): Promise<readonly Update[]> {
    const response: unknown = await this.api.call(
      'getUpdates',
      { offset: this.offset, limit: BATCH, timeout, allowed_updates: ALLOWED_UPDATES },
      { signal, timeoutMs: timeout * 1000 + POLL_SLACK_MS },
    );
    if (Array.isArray(response) && response.every(isUpdate)) return response;
    const failure = { kind: 'unknown', cause: 'no list of updates' } as const;
    this.health.failed('getUpdates', failure);
    throw new BotApiError('getUpdates', failure);
  }

  /** BotHealth logs a failure of the bot once; other errors are logged at their first occurrence. */
  private async backOff(error: unknown, signal: AbortSignal): Promise<void> {
    this.failures += 1;
    const isOfBot = error instanceof BotApiError;
    if (isOfBot && error.failure.kind === 'conflict') this.isWebhookGone = false;
    const delayMs = this.delayMs(error);
    if (!isOfBot && this.failures === 1) {
      const delayS = Math.ceil(delayMs / 1000);
      this.logger.warn(`polling Telegram failed; retrying in ${delayS} s: ${describeError(error)}`);
    }
    await this.clock.sleep(delayMs, signal);
  }

  private delayMs(error: unknown): number {
    if (!(error instanceof BotApiError)) return this.lease.leaseMs / 3;
    if (error.failure.kind === 'paused') return error.failure.forMs;
    return Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
  }
}
