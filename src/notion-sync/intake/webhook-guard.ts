import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import { WebhookHealth, type EventOutcome, WebhookMetrics } from './webhook-health';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../common/ids';

/** When the last so many requests were let in: no rolling second has more of them. */
export class RequestRate {
  private readonly atMs: number[];
  private next = 0;

  constructor(perSecond: number) {
    this.atMs = Array.from({ length: perSecond }, () => -Infinity);
  }

  /** False: not now. A request that is turned away does not count. */
  admits(nowMs: number): boolean {
    const oldestMs = this.atMs[this.next] ?? -Infinity;
    if (nowMs - oldestMs < 1000) return false;
    this.atMs[this.next] = nowMs;
    this.next = (this.next + 1) % this.atMs.length;
    return true;
  }
}

/** Nothing that Notion tells is longer. */
export const BODY_LIMIT = 256 * 1024;
const RETRY_AFTER_S = 1;

/** What both webhooks do at their door: refuse, in a status and a sentence, and count. */
@Injectable()
export class WebhookGuard {
  private readonly perSecond;
  private readonly genuine: RequestRate;

  constructor(
    settings: Settings,
    private readonly condition: WebhookHealth,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {
    this.perSecond = settings.notionSync.eventsPerSecond;
    this.genuine = new RequestRate(this.perSecond);
  }

  /** Of whom is known to be Notion: what others send does not use up the rate. Throws ProblemError. */
  admitGenuine(): void {
    if (this.genuine.admits(this.clock.monotonicMs())) return;
    this.condition.tell(
      `Notion sends more than ${String(this.perSecond)} events in a second and was asked to send the rest again later (NOTION_EVENTS_PER_SECOND).`,
    );
    throw this.tooMany();
  }

  jsonIn(bytes: Buffer): unknown {
    try {
      return JSON.parse(bytes.toString('utf8')) as unknown;
    } catch {
      throw this.refusal(
        'malformed',
        new ProblemError(400, 'malformed_json', 'The body is not JSON.'),
      );
    }
  }

  /** Counts it; `sentence`, for the operator. */
  refusal(outcome: EventOutcome, problem: ProblemError, sentence?: string): ProblemError {
    this.metrics.event(outcome);
    if (sentence !== undefined) this.condition.tell(sentence);
    return problem;
  }

  /** Notion sends again what could not be stored. */
  async storing(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.metrics.event('not_stored');
      throw error;
    }
  }

  private tooMany(): ProblemError {
    return this.refusal(
      'too_many',
      new ProblemError(429, 'too_many_requests', 'Too many requests; try again later.', {
        retryAfterS: RETRY_AFTER_S,
      }),
    );
  }
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether `X-Notion-Signature` is the HMAC of exactly these bytes; takes as long for any other one. */
export function isSignedWith(token: string, bytes: Buffer, signature: string): boolean {
  const expected = createHmac('sha256', token).update(bytes).digest();
  const shown = SIGNATURE.exec(signature)?.[1];
  return shown !== undefined && timingSafeEqual(Buffer.from(shown, 'hex'), expected);
}

/** Of equal length whatever was shown, so that the comparison takes the same time. */
export function isSameSecret(shown: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(shown)), Buffer.from(hashToken(secret)));
}
