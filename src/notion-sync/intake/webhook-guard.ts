import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ProblemError } from '../../common/http';
import { WebhookHealth, type EventOutcome, WebhookMetrics } from './webhook-health';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Admits requests of both webhooks, or refuses them with a status and a reason, and counts them. */
@Injectable()
export class WebhookGuard {
  private readonly genuine: RequestRate;

  constructor(
    private readonly health: WebhookHealth,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {
    this.genuine = new RequestRate(EVENT_RATE.perSecond);
  }

  /** Only for requests that Notion has sent, so that others cannot use up the rate. Throws ProblemError. */
  admitGenuine(): void {
    if (this.genuine.admits(this.clock.monotonicMs())) return;
    this.health.log(
      `Notion sends more than ${String(EVENT_RATE.perSecond)} events in a second and was asked to send the rest again later.`,
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

  /** Counts the refusal and returns the error to throw; `sentence` is logged for the operator. */
  refusal(outcome: EventOutcome, problem: ProblemError, sentence?: string): ProblemError {
    this.metrics.event(outcome);
    if (sentence !== undefined) this.health.log(sentence);
    return problem;
  }

  /** Responds 503 if the work fails, so that Notion sends the event again. */
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

const RETRY_AFTER_S = 1;
/** Of one replica; one takes 2,300 and more (docs/measurements.md), and Notion sends the rest again. */
export const EVENT_RATE = { perSecond: 2000 };

/** The times of the last `perSecond` admitted requests, so that no rolling second has more. */
export class RequestRate {
  private readonly atMs: number[];
  private next = 0;

  constructor(perSecond: number) {
    this.atMs = Array.from({ length: perSecond }, () => -Infinity);
  }

  /** False: too many at the moment. A refused request does not count. */
  admits(nowMs: number): boolean {
    const oldestMs = this.atMs[this.next] ?? -Infinity;
    if (nowMs - oldestMs < 1000) return false;
    this.atMs[this.next] = nowMs;
    this.next = (this.next + 1) % this.atMs.length;
    return true;
  }
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Whether `X-Notion-Signature` is the HMAC of exactly these bytes, compared in constant time. */
export function isSignedWith(token: string, bytes: Buffer, signature: string): boolean {
  const expected = createHmac('sha256', token).update(bytes).digest();
  const shown = SIGNATURE.exec(signature)?.[1];
  return shown !== undefined && timingSafeEqual(Buffer.from(shown, 'hex'), expected);
}

/** Notion sends no larger body. */
export const BODY_LIMIT = 256 * 1024;
