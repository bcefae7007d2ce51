import { setMaxListeners } from 'node:events';
import type { WebhookInfo } from '@grammyjs/types';
import type { TelegramState } from '../state/telegram-state';
import type { PendingUpdate } from '../state/pending-updates';
import { type WebhookResponse, post } from './webhook-request';
import { nextDelayMs } from './webhook-retry';

/** What setWebhook asks for. */
export interface WebhookTarget {
  readonly url: string;
  readonly secretToken: string | null;
  /** Requests at a time. */
  readonly maxConnections: number;
}

/** One request to the webhook. */
export interface WebhookAttempt {
  readonly at: Date;
  readonly updateId: number;
  /** From 1. */
  readonly attempt: number;
  /** Null: no complete response. */
  readonly status: number | null;
  /** A call in the response's body; this server never executes it, as the real one may not. */
  readonly ignoredReply: string | null;
}

interface Progress {
  fails: number;
  delayS: number;
  wakeAtMs: number;
}

const HOUR_MS = 3_600_000;
/** A webhook that has responded only with 410 for this long is dropped. */
const GONE_AFTER_MS = 23 * HOUR_MS;

/**
 * Sends updates to the webhook by the rules of telegram-bot-api's WebhookActor: one queue for each
 * chat, in strict order, the next update after the response to the one before; queues in parallel.
 */
export class Webhook {
  readonly attempts: WebhookAttempt[] = [];
  private target: WebhookTarget | null = null;
  private stop = stoppable();
  private readonly busy = new Set<string>();
  private readonly progress = new WeakMap<PendingUpdate, Progress>();
  private lastError: { readonly atMs: number; readonly message: string } | null = null;
  private goneSinceMs: number | null = null;

  constructor(private readonly state: TelegramState) {
    state.changes.listen(() => {
      this.pump();
    });
  }

  get isSet(): boolean {
    return this.target !== null;
  }

  set(target: WebhookTarget): void {
    this.clear();
    this.target = target;
    this.pump();
  }

  /** Requests that are open are cut; their updates stay pending. */
  clear(): void {
    this.target = null;
    this.stop.abort();
    this.stop = stoppable();
    this.busy.clear();
    this.goneSinceMs = null;
    this.lastError = null;
  }

  info(): WebhookInfo {
    const { target, lastError, state } = this;
    const { allowed } = state.updates;
    return {
      url: target?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: state.updates.all().length,
      ...(target === null
        ? {}
        : { max_connections: target.maxConnections, ip_address: '127.0.0.1' }),
      ...(lastError === null
        ? {}
        : {
            last_error_date: Math.floor(lastError.atMs / 1000),
            last_error_message: lastError.message,
          }),
      ...(allowed.length === 0 ? {} : { allowed_updates: [...allowed] }),
    };
  }

  /** Starts the requests that may be sent now; only the head of each queue. */
  private pump(): void {
    const { target } = this;
    if (target === null) return;
    const seen = new Set<string>();
    for (const pending of this.state.updates.all()) {
      if (seen.has(pending.queue)) continue;
      seen.add(pending.queue);
      if (this.busy.size >= target.maxConnections) return;
      if (this.busy.has(pending.queue)) continue;
      if (this.progressOf(pending).wakeAtMs > this.state.clock.monotonicMs()) continue;
      this.busy.add(pending.queue);
      void this.send(target, pending, this.stop.signal);
    }
  }

  private async send(
    target: WebhookTarget,
    pending: PendingUpdate,
    stopped: AbortSignal,
  ): Promise<void> {
    const { clock } = this.state;
    const at = clock.now();
    const response = await post(target, pending.update, clock, stopped);
    if (stopped.aborted) return;
    const { fails } = this.progressOf(pending);
    this.attempts.push({
      at,
      updateId: pending.update.update_id,
      attempt: fails + 1,
      status: response.status,
      ignoredReply: response.reply,
    });
    this.busy.delete(pending.queue);
    this.noteGone(response);
    if (response.error === null) this.state.updates.forget(pending);
    else this.retryLater(pending, response, stopped);
    this.state.changes.notify();
  }

  private retryLater(
    pending: PendingUpdate,
    response: WebhookResponse,
    stopped: AbortSignal,
  ): void {
    const { clock, nowMs } = this.state;
    this.lastError = { atMs: nowMs, message: response.error ?? '' };
    const progress = this.progressOf(pending);
    const next = nextDelayMs(progress, response.retryAfterS);
    if (nowMs + next.waitMs > pending.expiresAtMs) {
      this.state.updates.forget(pending);
      return;
    }
    progress.fails += 1;
    progress.delayS = next.delayS;
    progress.wakeAtMs = clock.monotonicMs() + next.waitMs;
    void clock.sleep(next.waitMs, stopped).then(() => {
      // A timer may fire a moment before the clock reaches its time, and would not fire again.
      progress.wakeAtMs = -Infinity;
      if (!stopped.aborted) this.pump();
    });
  }

  private noteGone({ status }: WebhookResponse): void {
    if (status !== 410) {
      if (status !== null) this.goneSinceMs = null;
      return;
    }
    const now = this.state.clock.monotonicMs();
    this.goneSinceMs ??= now;
    if (now - this.goneSinceMs > GONE_AFTER_MS) this.clear();
  }

  private progressOf(pending: PendingUpdate): Progress {
    const known = this.progress.get(pending);
    if (known !== undefined) return known;
    const fresh: Progress = { fails: 0, delayS: 1, wakeAtMs: -Infinity };
    this.progress.set(pending, fresh);
    return fresh;
  }
}

/** Every queue that waits for its next try listens to it. */
function stoppable(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}
