import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Counter } from 'prom-client';
import { COMMAND } from '../common/command-name';
import { Clock, withTimeLimit } from '../common/clock';
import { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { outgoingFetch } from '../common/http';
import { Drain } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { assertOutsideCommit, type Label, type Tx, UnitOfWorkFactory } from '../common/uow';
import type { AttentionItem } from './attention.entity';
import { AttentionRepository } from './attention.repository';

/**
 * Sends one alert to ALERT_WEBHOOK_URL. The body says which item needs a person and how to read it,
 * never the reason: a reason may quote a peer's error, and a candidate's words must not leave in an
 * alert. `text` is what chat tools show; `id` lets a receiver drop a repetition. The URL is a secret
 * and is never logged.
 */
@Injectable()
export class AlertWebhook {
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  get isOn(): boolean {
    return this.settings.admin.alertWebhookUrl !== '';
  }

  /** Longest time that `send` takes. */
  get timeoutMs(): number {
    return TIMEOUT_MS;
  }

  /** Throws AlertRefusedError after a refusal, after a timeout, and when `signal` aborts. */
  async send(item: AttentionItem, signal: AbortSignal): Promise<void> {
    assertOutsideCommit('alert webhook');
    const status = await this.post(JSON.stringify(alertOf(item)), signal);
    if (status >= 200 && status < 300) return;
    throw new AlertRefusedError(`the alert webhook responded with ${String(status)}`);
  }

  private async post(body: string, signal: AbortSignal): Promise<number> {
    try {
      return await withTimeLimit(
        this.clock,
        this.timeoutMs,
        (limited) => this.request(body, limited),
        signal,
      );
    } catch (cause) {
      throw new AlertRefusedError('the alert webhook did not respond', { cause });
    }
  }

  private async request(body: string, signal: AbortSignal): Promise<number> {
    const response = await outgoingFetch(this.settings.admin.alertWebhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    });
    await response.body?.cancel();
    return response.status;
  }
}

function alertOf(item: AttentionItem) {
  return {
    text: `Colloquy needs a person: ${item.kind} (${item.subject}). See: ${COMMAND} attention show ${item.id}`,
    id: item.id,
    kind: item.kind,
    subject: item.subject,
    conversationId: item.conversationId,
    jobId: item.jobId,
    createdAt: item.createdAt.toISOString(),
  };
}

/** The receiver did not accept the alert; it is sent again later. */
export class AlertRefusedError extends ColloquyError {
  readonly code = 'alert_refused';
  readonly retryable = true;
}

/** Beyond the webhook's own timeout, so that no other replica sends the same alert meanwhile. */
const CLAIM_MARGIN_MS = 10_000;
const SWEEP_MS = 2000;
/** A receiver that needs longer counts as away; the item is sent again later. */
const TIMEOUT_MS = 5000;
const MAX_ALERTS = 20;

/**
 * Announces new items after the commit that added them. A sweep reads the table, so an item that
 * was rolled back is never announced, and an item is not lost when a process ends. Each item is
 * taken by one replica.
 *
 *   new (alert_due_at null) ──counted and logged──> due ──POST accepted──> alerted (alerted_at)
 *                                                   due <──refused: later──┘
 *
 * Without a webhook an item is alerted once it is logged. A crash between POST and commit repeats
 * the POST; its body carries the item's id.
 */
@Injectable()
export class AttentionAlerts implements OnModuleInit {
  private readonly logger = new Logger('Attention');
  private readonly raised: Counter<'kind'>;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly items: AttentionRepository,
    private readonly webhook: AlertWebhook,
    metrics: Metrics,
    private readonly drain: Drain,
  ) {
    this.raised = metrics.counter('attention_items_total', 'Items that needed a person', ['kind']);
  }

  /** A POST that is under way is aborted; its item stays due. */
  onModuleInit(): void {
    this.drain.register('intake', 'attention alerts', async () => {
      this.stopping.abort();
      await this.running;
    });
  }

  /** One sweep at a time in this process: an alert may take longer than the interval. */
  @Interval(SWEEP_MS)
  async runOnSchedule(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.running ??= this.sweepOrLog().finally(() => {
      this.running = null;
    });
    await this.running;
  }

  /** Announces what is new, then sends the alerts that are due. */
  async sweep(): Promise<void> {
    for (const item of await this.takeNew()) this.announce(item);
    if (!this.webhook.isOn) return;
    for (let sent = 0; sent < MAX_ALERTS; sent += 1) {
      const item = await this.claimDue();
      // A receiver that refused one alert would refuse the next: wait for the next sweep.
      if (item === null || !(await this.alert(item))) return;
    }
  }

  private async sweepOrLog(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      // An unavailable database is reported by the readiness probe and by the job worker.
      const isTransient = error instanceof ColloquyError && error.retryable;
      if (!isTransient) this.logger.error('the sweep of the attention list failed', error);
    }
  }

  private announce(item: AttentionItem): void {
    this.raised.inc({ kind: item.kind });
    const conversation =
      item.conversationId === null ? '' : `, conversation ${item.conversationId}`;
    this.logger.warn(
      `item ${item.id} needs a person: ${item.kind}, ${item.subject}${conversation}; see: ${COMMAND} attention show ${item.id}`,
    );
  }

  private async alert(item: AttentionItem): Promise<boolean> {
    const isSent = await this.send(item);
    await this.commit('attention.settle_alert', (tx) =>
      isSent ? this.items.alertSent(tx, item.id) : this.items.postponeAlert(tx, item.id),
    );
    return isSent;
  }

  private async send(item: AttentionItem): Promise<boolean> {
    try {
      await this.webhook.send(item, this.stopping.signal);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.logger.warn(`the alert about item ${item.id} is sent again later: ${reason}`);
      return false;
    }
  }

  private takeNew(): Promise<AttentionItem[]> {
    const hasWebhook = this.webhook.isOn;
    return this.commit('attention.announce', (tx) => this.items.takeNew(tx, { hasWebhook }));
  }

  private claimDue(): Promise<AttentionItem | null> {
    const holdMs = this.webhook.timeoutMs + CLAIM_MARGIN_MS;
    return this.commit('attention.claim_alert', (tx) => this.items.claimAlert(tx, holdMs));
  }

  /**
   * After an unknown commit the statement runs again and finds nothing new: such an item is never
   * logged, but its alert is sent.
   */
  private commit<T>(label: Label, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('attention.alert', (uow) => uow.commitOne(label, work));
  }
}
