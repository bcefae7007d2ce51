import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type UnitOfWork, UnitsOfWork, assertOutsideCommit } from '../../common/uow';
import { DatabaseClock, type Timescale } from './database-clock';
import { Lead } from './lead';
import { LimiterCondition } from './limiter-condition';
import { LimiterMetrics, type PermitEnd } from './limiter-metrics';
import { type Booking, LimiterRow, type StartWish } from './limiter-row';
import { NotionPausedError } from './paused-error';
import type { Permit, PermitHolder } from './permit-holder';
import { MARGIN_MS } from './timing';

/** A start in the log that this process has to keep. */
interface Booked extends Booking, StartWish {
  readonly timescale: Timescale;
  /** Resolves when the one booked before it for the same moment has begun, or will not. */
  readonly turn: Promise<void>;
  readonly over: () => void;
}

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
  private readonly database = new DatabaseClock();
  private readonly lead = new Lead();
  private last = { grantedMs: 0, over: Promise.resolve() };

  constructor(
    private readonly units: UnitsOfWork,
    private readonly row: LimiterRow,
    private readonly clock: Clock,
    private readonly metrics: LimiterMetrics,
    private readonly condition: LimiterCondition,
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
    for (let missed: Booked | null = null; ;) {
      holder.signal?.throwIfAborted();
      const booked: Booked = await this.book(uow, missed);
      holder.onBooked?.();
      let end: PermitEnd = 'dropped';
      try {
        end = await this.arriveAt(uow, booked, holder);
      } finally {
        booked.over();
        this.metrics.ended(end);
      }
      if (end === 'late') this.condition.missed();
      if (end === 'used') {
        this.condition.kept();
        return { grantedAt: booked.grantedAt };
      }
      missed = booked;
    }
  }

  private async book(uow: UnitOfWork, missed: Booked | null): Promise<Booked> {
    const { timescale } = this.database;
    const wish: StartWish = {
      leadMs: this.lead.toBookMs,
      timescaleId: timescale.id,
      ...this.database.errorOf(timescale),
    };
    let sentMs = 0;
    const { booking, pausedForMs } = await uow.commit('notion.book', async (tx) => {
      const moved = missed === null ? null : await this.row.move(tx, missed, wish);
      sentMs = this.clock.monotonicMs();
      const booked = moved ?? (await this.row.book(tx, wish));
      if (booked === null) return { booking: null, pausedForMs: await this.row.pausedForMs(tx) };
      if (moved === null) this.heard(sentMs, booked);
      return { booking: booked, pausedForMs: 0 };
    });
    if (booking === null) {
      throw new NotionPausedError('Notion asked for a pause', {
        retryAfterMs: pausedForMs,
        mayHaveArrived: false,
      });
    }
    this.lead.booked(this.clock.monotonicMs() - sentMs);
    this.metrics.booked(booking.rate);
    return { ...booking, ...wish, timescale, ...this.inTurn(booking) };
  }

  /** Sleeps until the start, and looks again whether it is one. */
  private async arriveAt(
    uow: UnitOfWork,
    booked: Booked,
    { signal, fence }: PermitHolder,
  ): Promise<PermitEnd> {
    const startMs = booked.grantedMs + (booked.timescale.offsetMs ?? 0);
    const wakeMs = startMs - this.lead.toLookMs;
    const bookedMs = this.clock.monotonicMs();
    await this.clock.sleep(wakeMs - bookedMs, signal);
    signal?.throwIfAborted();
    const isPaused = await uow.commit('notion.re-check', async (tx) => {
      await fence?.(tx);
      const sentMs = this.clock.monotonicMs();
      const check = await this.row.check(tx, booked.grantedAt);
      this.heard(sentMs, check);
      return check.isPaused;
    });
    this.lead.looked(this.clock.monotonicMs() - Math.max(wakeMs, bookedMs));
    if (isPaused) return 'paused';
    await this.clock.sleep(startMs - this.clock.monotonicMs(), signal);
    await booked.turn;
    signal?.throwIfAborted();
    return this.errorAt(startMs, booked) > MARGIN_MS ? 'late' : 'used';
  }

  /**
   * How far a call that starts now is from what the log says of it: by our own clock, and by how
   * much worse that has turned out to fit the database's since the booking.
   */
  private errorAt(startMs: number, { timescale, earlyMs, lateMs }: Booked): number {
    const error = this.database.errorOf(timescale);
    return (
      this.clock.monotonicMs() -
      startMs +
      Math.max(0, error.lateMs - lateMs) +
      Math.max(0, error.earlyMs - earlyMs)
    );
  }

  /** Starts of one moment begin in the order in which they were booked. */
  private inTurn({ grantedMs }: Booking): Pick<Booked, 'turn' | 'over'> {
    const turn = this.last.grantedMs === grantedMs ? this.last.over : Promise.resolve();
    let over = (): void => undefined;
    this.last = { grantedMs, over: new Promise((resolve) => (over = resolve)) };
    return { turn, over };
  }

  private heard(sentMs: number, { databaseMs }: { readonly databaseMs: number }): void {
    this.database.observe({ sentMs, heardMs: this.clock.monotonicMs(), databaseMs });
  }
}
