import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';
import { Settings } from '../common/config';
import { assertOutsideCommit } from '../common/uow';
import type { AttentionItem } from './attention.entity';

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
    taskId: item.taskId,
    createdAt: item.createdAt.toISOString(),
  };
}
