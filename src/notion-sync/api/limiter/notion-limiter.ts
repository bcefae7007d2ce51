import type { Lease } from '../../../jobs';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import {
  assertOutsideCommit,
  type Label,
  type Tx,
  type UnitOfWork,
  UnitOfWorkFactory,
} from '../../../common/uow';
import { DatabaseClock, type Timescale, LeadTime, MARGIN_MS, TURN_MS } from './limiter-timing';
import { LimiterHealth } from './limiter-health';
import { LimiterMetrics, type PermitEnd } from './limiter.metrics';
import { type Booking, LimiterRepository, type StartWish } from './limiter.repository';
import { NotionPausedError } from '../errors';

/**
 * Decides when a call of Notion may start: in any rolling second or minute at most as many as the
 * settings allow, for all replicas together, and none during a pause.
 *
 *   book ──sleep──> re-check ──the rest of the wait──> start
 *    ^                 │ paused                          │ woke up too late
 *    └─────────────────┴─────────────────────────────────┘
 *
 * The row `notion_limiter` holds the log of starts; its lock is the queue, first come first served. A
 * booked start that is not used (a crash, an abort) is lost. A missed one is moved, or lost if later
 * bookings depend on it. No connection is held while waiting.
 */
@Injectable()
export class NotionLimiter {
  private readonly database = new DatabaseClock();
  private readonly lead = new LeadTime();
  private last: { readonly grantedMs: number; readonly turn: Turn } | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly limits: LimiterRepository,
    private readonly clock: Clock,
    private readonly metrics: LimiterMetrics,
    private readonly health: LimiterHealth,
  ) {}

  /**
   * Calls `start` synchronously when one call may begin. Throws NotionPausedError before a pause that
   * is too long to wait for, LeaseLostError, and the reason of its signal.
   */
  async whenPermitted<T>(holder: PermitHolder, start: (permit: Permit) => Promise<T>): Promise<T> {
    assertOutsideCommit('notion');
    const requestedMs = this.clock.monotonicMs();
    this.metrics.requested();
    const permit = await this.units
      .run('notion.permit', (uow) => this.take(uow, holder))
      .finally(() => {
        this.metrics.granted(this.clock.monotonicMs() - requestedMs);
      });
    holder.onStart?.();
    return start(permit);
  }

  /** No replica starts a call for this long; a running call goes on. */
  async pause(forMs: number): Promise<void> {
    await this.units.run('notion.pause', (uow) =>
      uow.commitOne('notion.pause', (tx) => this.limits.pause(tx, forMs)),
    );
  }

  /** Notion refused this call by its rate limit: begins a pause, and lowers the rate after it. */
  async slowDown(refused: Permit, forMs: number): Promise<void> {
    await this.units.run('notion.pause', (uow) =>
      uow.commit('notion.slow_down', async (tx) => {
        await this.limits.pause(tx, forMs);
        await this.limits.slowDown(tx, refused.grantedAt);
      }),
    );
  }

  private async take(uow: UnitOfWork, holder: PermitHolder): Promise<Permit> {
    for (let missed: BookedStart | null = null; ;) {
      holder.signal?.throwIfAborted();
      const booked: BookedStart = await this.book(uow, missed);
      holder.onBooked?.();
      let end: PermitEnd = 'dropped';
      try {
        end = await this.arriveAt(uow, booked, holder);
      } finally {
        booked.turn.end();
        this.metrics.ended(end);
      }
      if (end === 'late') this.health.missed();
      if (end === 'used') {
        this.health.onTime();
        return { grantedAt: booked.grantedAt };
      }
      missed = booked;
    }
  }

  private async book(uow: UnitOfWork, missed: BookedStart | null): Promise<BookedStart> {
    const { timescale } = this.database;
    const wish: StartWish = {
      leadMs: this.lead.toBookMs,
      timescaleId: timescale.id,
      ...this.database.errorOf(timescale),
    };
    const booking =
      (missed === null ? null : await this.move(uow, missed, wish)) ??
      (await this.timed(uow, 'notion.book', (tx) => this.limits.book(tx, wish)));
    if (booking === null) {
      throw new NotionPausedError('Notion asked for a pause', {
        retryAfterMs: await uow.commitOne('notion.paused', (tx) => this.limits.pausedForMs(tx)),
        mayHaveArrived: false,
      });
    }
    this.metrics.booked(booking.rate);
    return { ...booking, ...wish, timescale, ...this.inTurn(booking) };
  }

  private async move(
    uow: UnitOfWork,
    missed: BookedStart,
    wish: StartWish,
  ): Promise<Booking | null> {
    const place = await uow.commitOne('notion.find', (tx) => this.limits.placeOf(tx, missed));
    if (place === null) return null;
    return this.timed(uow, 'notion.move', (tx) => this.limits.move(tx, { missed, place }, wish));
  }

  /**
   * One statement, so that the lock that all replicas queue for is not held during a network round
   * trip. If a lost connection makes it run twice, one start is wasted.
   */
  private async timed(
    uow: UnitOfWork,
    label: Label,
    statement: (tx: Tx) => Promise<Booking | null>,
  ): Promise<Booking | null> {
    let sentMs = 0;
    const booking = await uow.commitOne(label, (tx) => {
      sentMs = this.clock.monotonicMs();
      return statement(tx);
    });
    if (booking === null) return null;
    this.heard(sentMs, booking);
    this.lead.booked(this.clock.monotonicMs() - sentMs);
    return booking;
  }

  /** Sleeps until the start, and checks again shortly before it. */
  private async arriveAt(
    uow: UnitOfWork,
    booked: BookedStart,
    { signal, lease }: PermitHolder,
  ): Promise<PermitEnd> {
    const startMs = booked.grantedMs + (booked.timescale.offsetMs ?? 0);
    const wakeMs = startMs - this.lead.toCheckMs;
    const bookedMs = this.clock.monotonicMs();
    await this.clock.sleep(wakeMs - bookedMs, signal);
    signal?.throwIfAborted();
    const isPaused = await this.checkAgain(uow, booked, lease?.() ?? null);
    this.lead.checked(this.clock.monotonicMs() - Math.max(wakeMs, bookedMs));
    if (isPaused) return 'paused';
    await this.clock.sleep(startMs - this.clock.monotonicMs(), signal);
    await this.ahead(booked, signal);
    signal?.throwIfAborted();
    return this.errorAt(startMs, booked) > MARGIN_MS ? 'late' : 'used';
  }

  /** Whether a pause has begun meanwhile. Throws LeaseLostError. */
  private checkAgain(
    uow: UnitOfWork,
    { grantedAt }: BookedStart,
    lease: Lease | null,
  ): Promise<boolean> {
    return uow.commitOne('notion.check_again', async (tx) => {
      const sentMs = this.clock.monotonicMs();
      const check = await this.limits.check(tx, grantedAt, lease);
      this.heard(sentMs, check);
      if (lease !== null && !check.isHeld) throw lease.lost();
      return check.isPaused;
    });
  }

  /**
   * How late the call starts, plus how much the error of our clock against the database's has grown
   * since the booking.
   */
  private errorAt(startMs: number, { timescale, earlyMs, lateMs }: BookedStart): number {
    const error = this.database.errorOf(timescale);
    return (
      this.clock.monotonicMs() -
      startMs +
      Math.max(0, error.lateMs - lateMs) +
      Math.max(0, error.earlyMs - earlyMs)
    );
  }

  private inTurn({ grantedMs }: Booking): Pick<BookedStart, 'before' | 'turn'> {
    const before = this.last?.grantedMs === grantedMs ? this.last.turn : null;
    const turn = new Turn();
    this.last = { grantedMs, turn };
    return { before, turn };
  }

  /** Starts of one moment begin in the order of booking; one that is late does not delay the next. */
  private async ahead({ before }: BookedStart, signal: AbortSignal | undefined): Promise<void> {
    if (before === null || before.isOver) return;
    await Promise.race([before.ended, this.clock.sleep(TURN_MS, signal)]);
  }

  private heard(sentMs: number, { databaseMs }: { readonly databaseMs: number }): void {
    this.database.observe({ sentMs, heardMs: this.clock.monotonicMs(), databaseMs });
  }
}

/** Settles when its call has begun or will not begin. */
class Turn {
  isOver = false;
  end: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => {
    this.end = () => {
      this.isOver = true;
      resolve();
    };
  });
}

/** Who calls Notion. */
export interface PermitHolder {
  /** Ends the wait for a permit, and the call. */
  readonly signal?: AbortSignal;
  /** The job's lease, which is checked shortly before the start. */
  readonly lease?: () => Lease | null;
  /** Called when the call has its place in the queue, and again if it missed that and has another. */
  readonly onBooked?: () => void;
  /** Called when a permitted call begins. */
  readonly onStart?: () => void;
}

/** Permission to start one call now. */
export interface Permit {
  /** The granted start as the database writes it. */
  readonly grantedAt: string;
}

/** A start in the log that this process has to keep. */
interface BookedStart extends Booking, StartWish {
  readonly timescale: Timescale;
  /** The start that was booked before it for the same moment, if any. */
  readonly before: Turn | null;
  readonly turn: Turn;
}
