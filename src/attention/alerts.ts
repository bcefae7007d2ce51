import {
  Injectable,
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import { Settings } from '../common/config';
import { assertOutsideCommit, UnitOfWorkFactory } from '../common/uow';
import {
  type AttentionItem,
  ATTENTION_COLUMNS,
  type AttentionRow,
  itemOf,
} from './attention.entity';
import type { Counter } from 'prom-client';
import { Clock } from '../common/clock';
import { Metrics } from '../common/metrics';

/** The receiver did not take the alert; it is sent again later. */
export class AlertRefusedError extends ColloquyError {
  readonly code = 'alert_refused';
  readonly retryable = true;
}

/**
 * Sends one alert to ALERT_WEBHOOK_URL. The body says that and where to look, never why: a reason
 * may quote a peer's error, and no candidate's word may leave this way. `text` is what chat tools
 * show; `id` lets a receiver drop a repetition. The URL is a secret and never logged.
 */
@Injectable()
export class AlertWebhook {
  constructor(private readonly settings: Settings) {}

  get isOn(): boolean {
    return this.settings.admin.alertWebhookUrl !== '';
  }

  /** Longest time that `send` takes. */
  get timeoutMs(): number {
    return this.settings.admin.alertTimeoutMs;
  }

  /** Throws AlertRefusedError: on a refusal, a timeout, or when `signal` ends the wait. */
  async send(item: AttentionItem, signal: AbortSignal): Promise<void> {
    assertOutsideCommit('alert webhook');
    const status = await this.post(JSON.stringify(alertOf(item)), signal);
    if (status >= 200 && status < 300) return;
    throw new AlertRefusedError(`the alert webhook answered ${String(status)}`);
  }

  private async post(body: string, signal: AbortSignal): Promise<number> {
    try {
      const response = await fetch(this.settings.admin.alertWebhookUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.timeoutMs)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch (cause) {
      throw new AlertRefusedError('the alert webhook did not answer', { cause });
    }
  }
}

function alertOf(item: AttentionItem) {
  return {
    text: `Colloquy needs a person: ${item.kind} (${item.subject}). See: npm run attention -- show ${item.id}`,
    id: item.id,
    kind: item.kind,
    subject: item.subject,
    conversationId: item.conversationId,
    taskId: item.jobId,
    createdAt: item.createdAt.toISOString(),
  };
}

/**
 * Tells about new items, after the commit that raised them: a sweep reads the table, so nothing is
 * announced that was rolled back and nothing is lost with a process. One replica takes each item.
 *
 *   new (alert_due_at null) ──counted and logged──> due ──POST accepted──> alerted (alerted_at)
 *                                                   due <──refused: later──┘
 *
 * Without a webhook an item is alerted once it is logged. A crash between POST and commit repeats
 * the POST; its body carries the item's id.
 */
const SWEEP_MS = 2000;
const MAX_ANNOUNCED = 100;
const MAX_ALERTS = 20;
/** Beyond the webhook's own timeout, so that no other replica sends the same alert meanwhile. */
const CLAIM_MARGIN_MS = 10_000;

const ANNOUNCE = `
update attention set alert_due_at = coalesce($1::timestamptz, clock_timestamp()),
  alerted_at = case when $2 then null else coalesce($1::timestamptz, clock_timestamp()) end
where id in (
  select id from attention where alerted_at is null and alert_due_at is null
  order by id limit ${String(MAX_ANNOUNCED)} for update skip locked)
returning ${ATTENTION_COLUMNS}`;

const CLAIM = `
update attention
set alert_due_at = coalesce($1::timestamptz, clock_timestamp()) + $2 * interval '1 millisecond'
where id = (
  select id from attention
  where alerted_at is null and closed_at is null
    and alert_due_at <= coalesce($1::timestamptz, now())
  order by alert_due_at limit 1 for update skip locked)
returning ${ATTENTION_COLUMNS}`;

const ALERTED = `
update attention set alerted_at = coalesce($2::timestamptz, clock_timestamp()) where id = $1`;

/** Half the item's age, from 10 s to 10 minutes: often at first, then seldom. */
const LATER = `
update attention
set alert_due_at = coalesce($2::timestamptz, clock_timestamp()) + least(interval '10 minutes',
  greatest(interval '10 seconds',
    (coalesce($2::timestamptz, clock_timestamp()) - created_at) / 2))
where id = $1 and alerted_at is null`;

@Injectable()
export class AttentionAlerts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Attention');
  private readonly raised: Counter<'kind'>;
  private readonly stopping = new AbortController();
  private loop: Promise<void> | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
    private readonly webhook: AlertWebhook,
    metrics: Metrics,
  ) {
    this.raised = metrics.counter('attention_items_total', 'Items that needed a person', ['kind']);
  }

  onApplicationBootstrap(): void {
    this.loop ??= this.run();
  }

  /** Ends a POST under way; its item stays due. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** One pass: announces what is new, then alerts about what is due. */
  async sweep(): Promise<void> {
    for (const item of await this.takeNew()) this.announce(item);
    if (!this.webhook.isOn) return;
    for (let sent = 0; sent < MAX_ALERTS; sent += 1) {
      const item = await this.claimDue();
      // A receiver that refused one alert would refuse the next: wait for the next pass.
      if (item === null || !(await this.alert(item))) return;
    }
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.sweep();
      } catch (error) {
        // A database that is away is reported by those who answer for it.
        const isPassing = error instanceof ColloquyError && error.retryable;
        if (!isPassing) this.logger.error('the sweep of the attention list failed', error);
      }
      await this.clock.sleep(SWEEP_MS, signal);
    }
  }

  private announce(item: AttentionItem): void {
    this.raised.inc({ kind: item.kind });
    const conversation =
      item.conversationId === null ? '' : `, conversation ${item.conversationId}`;
    this.logger.warn(
      `item ${item.id} needs a person: ${item.kind}, ${item.subject}${conversation}`,
    );
  }

  private async alert(item: AttentionItem): Promise<boolean> {
    const isSent = await this.send(item);
    await this.commit('attention.settleAlert', isSent ? ALERTED : LATER, [
      item.id,
      this.clock.databaseNow(),
    ]);
    return isSent;
  }

  private async send(item: AttentionItem): Promise<boolean> {
    try {
      await this.webhook.send(item, this.stopping.signal);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown error';
      this.logger.warn(`the alert about item ${item.id} was not taken: ${reason}`);
      return false;
    }
  }

  private async takeNew(): Promise<AttentionItem[]> {
    const values = [this.clock.databaseNow(), this.webhook.isOn];
    const rows = await this.commit('attention.announce', ANNOUNCE, values);
    return rows.map(itemOf).sort((a, b) => Number(a.id) - Number(b.id));
  }

  private async claimDue(): Promise<AttentionItem | null> {
    const holdMs = this.webhook.timeoutMs + CLAIM_MARGIN_MS;
    const values = [this.clock.databaseNow(), holdMs];
    const [row] = await this.commit('attention.claimAlert', CLAIM, values);
    return row === undefined ? null : itemOf(row);
  }

  /** An announcement that was stored unawares is not logged; its alert is due all the same. */
  private commit(
    label: string,
    statement: string,
    values: readonly unknown[],
  ): Promise<AttentionRow[]> {
    return this.units.run('attention.alert', (uow) =>
      uow.commitOne(label, (tx) => tx.query<AttentionRow>(statement, values)),
    );
  }
}
