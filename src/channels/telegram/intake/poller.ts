import { Injectable, Logger } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { Clock } from '../../../common/clock';
import { describeError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import { ALLOWED_UPDATES, isUpdate } from './update-handling';
import { BotApi } from '../api/bot-api';
import { BotApiError } from '../api/bot-api-errors';
import { BotHealth } from '../api/bot-health';
import { PollerLeaseRepository } from './poller-lease.repository';
import { PolledUpdates } from './polled-updates';

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

const BATCH = 100;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Pause before updates that are not durable yet are polled again. */
const BEHIND_MS = 250;
/** Time beyond the long poll itself for the response to arrive. */
const POLL_SLACK_MS = 5000;
