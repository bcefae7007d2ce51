import type { Clock } from '../../src/common/clock';
import { ApiError } from './api-error';

/** How much a bot may send; null: no limit. */
export interface SendLimits {
  readonly perSecond: number | null;
  readonly perChatPerSecond: number | null;
  /** Whole seconds that a bot which sends more has to wait. */
  readonly retryAfterS: number;
}

const UNLIMITED: SendLimits = { perSecond: null, perChatPerSecond: null, retryAfterS: 5 };

/** Flood control (429): once a bot has to wait, everything that it sends to any chat is refused. */
export class Flood {
  limits: SendLimits = UNLIMITED;
  private untilMs = 0;
  private sent: { readonly chat: string; readonly atMs: number }[] = [];

  constructor(private readonly clock: Clock) {}

  /** For this many seconds everything is refused with 429. */
  start(retryAfterS: number): void {
    this.untilMs = this.clock.monotonicMs() + retryAfterS * 1000;
  }

  /** Throws 429 with the seconds that are left. */
  check(): void {
    const leftMs = this.untilMs - this.clock.monotonicMs();
    if (leftMs > 0) throw ApiError.tooManyRequests(Math.ceil(leftMs / 1000));
  }

  /** Counts a message to a chat; throws 429 when it is one too many. */
  count(chatId: string): void {
    const now = this.clock.monotonicMs();
    this.sent = this.sent.filter(({ atMs }) => now - atMs < 1000);
    const { perSecond, perChatPerSecond, retryAfterS } = this.limits;
    const toChat = this.sent.filter(({ chat }) => chat === chatId).length;
    if (this.sent.length >= (perSecond ?? Infinity) || toChat >= (perChatPerSecond ?? Infinity)) {
      this.start(retryAfterS);
      throw ApiError.tooManyRequests(retryAfterS);
    }
    this.sent.push({ chat: chatId, atMs: now });
  }
}
