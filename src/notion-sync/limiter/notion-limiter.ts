import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type UnitOfWork, UnitsOfWork, assertOutsideCommit } from '../../common/uow';
import { LimiterMetrics, type PermitEnd } from './limiter-metrics';
import { type Booking, LimiterRow } from './limiter-row';
import { NotionPausedError } from './paused-error';
import type { Permit, PermitHolder } from './permit-holder';
import { LEAD_MS, MARGIN_MS, nextLeadMs } from './timing';

/**
 * When a call of Notion may start: never more in any rolling second or minute than the settings
 * say, whatever the number of replicas, and nothing in a pause.
 *
 *   book ──sleep──> re-check ──the rest of the wait──> start
 *    ^                 │ paused                          │ woke up too late
 *    └─────────────────┴─────────────────────────────────┘
 *
 * The row `notion_limiter` is the truth; its lock is the queue, first come first served. A booked
 * start that is not used (a crash, an abort) is lost, never given to somebody else; one that was
 * missed is moved, or lost where others have already counted on it. No connection is held while
 * waiting.
 */
@Injectable()
export class NotionLimiter {
  private leadMs = LEAD_MS.min;

  constructor(
    private readonly units: UnitsOfWork,
    private readonly row: LimiterRow,
    private readonly clock: Clock,
    private readonly metrics: LimiterMetrics,
  ) {}

  /**
   * Calls `start` when it may begin one call, with nothing to wait for in between. Throws
   * NotionPausedError before a pause that is too long to wait for, what the holder's fence throws,
   * and the reason of its signal.
   */
  async whenPermitted<T>(holder: PermitHolder, start: (permit: Permit) => Promise<T>): Promise<T> {
    assertOutsideCommit('notion');
    const askedMs = this.clock.monotonicMs();
    this.metrics.asked();
    const permit = await this.units
      .run('notion-permit', (uow) => this.take(uow, holder))
      .finally(() => {
        this.metrics.answered(this.clock.monotonicMs() - askedMs);
      });
    holder.onStart?.();
    return start(permit);
  }

  /** Nobody starts a call for so long; a call that is under way goes on. */
  async pause(forMs: number): Promise<void> {
    this.metrics.paused(forMs);
    await this.units.run('notion-pause', (uow) =>
      uow.commit('notion.pause', (tx) => this.row.pause(tx, forMs)),
    );
  }

  /** Notion found that call one too many: a pause, and a lower rate after it. */
  async slowDown(refused: Permit, forMs: number): Promise<void> {
    this.metrics.paused(forMs);
    await this.units.run('notion-pause', (uow) =>
      uow.commit('notion.slow-down', async (tx) => {
        await this.row.pause(tx, forMs);
        await this.row.slowDown(tx, refused.grantedAt);
      }),
    );
  }

  private async take(uow: UnitOfWork, holder: PermitHolder): Promise<Permit> {
    for (let missed: string | null = null; ;) {
      holder.signal?.throwIfAborted();
      const booking: Booking = await this.book(uow, missed);
      let end: PermitEnd = 'dropped';
      try {
        end = await this.arriveAt(uow, booking, holder);
      } finally {
        this.metrics.ended(end);
      }
      if (end !== 'paused') this.leadMs = nextLeadMs(this.leadMs, end === 'late');
      if (end === 'used') return { grantedAt: booking.grantedAt };
      missed = booking.grantedAt;
    }
  }

  private async book(uow: UnitOfWork, missed: string | null): Promise<Booking> {
    const { booking, pausedForMs } = await uow.commit('notion.book', async (tx) => {
      const moved = missed === null ? null : await this.row.move(tx, missed, this.leadMs);
      const booked = moved ?? (await this.row.book(tx, this.leadMs));
      return booked === null
        ? { booking: null, pausedForMs: await this.row.pausedForMs(tx) }
        : { booking: booked, pausedForMs: 0 };
    });
    if (booking === null) {
      throw new NotionPausedError('Notion asked for a pause', {
        retryAfterMs: pausedForMs,
        mayHaveArrived: false,
      });
    }
    this.metrics.booked(booking.rate);
    return booking;
  }

  /** Sleeps until the start, and looks again whether it is one. */
  private async arriveAt(
    uow: UnitOfWork,
    { grantedAt, waitMs }: Booking,
    { signal, fence }: PermitHolder,
  ): Promise<PermitEnd> {
    await this.clock.sleep(waitMs - this.leadMs, signal);
    signal?.throwIfAborted();
    const check = await uow.commit('notion.re-check', async (tx) => {
      await fence?.(tx);
      const sentMs = this.clock.monotonicMs();
      const { remainingMs, isPaused } = await this.row.check(tx, grantedAt);
      // The database read its clock somewhere between: so the start lies between these two.
      const heardMs = this.clock.monotonicMs();
      return { isPaused, fromMs: sentMs + remainingMs, untilMs: heardMs + remainingMs };
    });
    if (check.isPaused) return 'paused';
    await this.clock.sleep(check.untilMs - this.clock.monotonicMs(), signal);
    signal?.throwIfAborted();
    return this.clock.monotonicMs() - check.fromMs > MARGIN_MS ? 'late' : 'used';
  }
}
