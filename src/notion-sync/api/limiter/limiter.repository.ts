import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Settings } from '../../../common/config';
import type { Tx } from '../../../common/uow';
import { type Lease, isHeldSql } from '../../../jobs';
import { MINUTE_MS, MAX_AWAITED_PAUSE_MS, SECOND_MS } from './limiter-timing';

/** The statements on the only row of `notion_limiter`; its lock orders all bookings. */
@Injectable()
export class LimiterRepository {
  private readonly limits;

  constructor(
    private readonly clock: Clock,
    settings: Settings,
  ) {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = settings.notion;
    this.limits = { maxPerSecond, maxAtOnce, maxPerMinute };
  }

  /**
   * The next free start; null while a pause is too long to wait for. Bookings keep the order of their
   * requests. One that waited for another's lock sees that booking and reads the clock again, because
   * PostgreSQL evaluates the whole expression again.
   */
  async book(tx: Tx, wish: StartWish): Promise<Booking | null> {
    const keep = `[1:greatest($5::int, cardinality(grants)) - 1]`;
    const rows = await tx.query<Booking>(
      `update notion_limiter set
         grants = array_prepend(greatest(${soonest('0')}, grants[1]), grants${keep}),
         timescales = array_prepend($9::text, timescales${keep}),
         blurs_ms = array_prepend($10::float8, blurs_ms${keep})
       where ${IS_SOON_OVER}
       returning ${bookingOf('grants[1]')}, notion_rate(rate, recovers_from, ${NOW}) as rate`,
      this.valuesOf(wish),
    );
    return rows[0] ?? null;
  }

  /**
   * The place of a missed start in the log; null once later bookings depend on it. Until then it may
   * move later, because the calls that it delays are not in the log yet.
   */
  async placeOf(tx: Tx, { grantedAt, timescaleId, lateMs }: MissedStart): Promise<number | null> {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = this.limits;
    const [found] = await tx.query<{ place: number | null }>(
      `select min(log.place)::int as place
       from notion_limiter,
         unnest(grants, timescales, blurs_ms) with ordinality as log(at, timescale, blur_ms, place)
       where log.at = $1::timestamptz and log.timescale = $2 and log.blur_ms = $3::float8`,
      [grantedAt, timescaleId, lateMs],
    );
    const place = found?.place ?? null;
    const isFree = place !== null && place <= Math.min(maxPerSecond, maxAtOnce, maxPerMinute);
    return isFree ? place : null;
  }

  /**
   * Replaces a missed start by the soonest possible one; null if another booking has taken its place
   * in the log, or a pause is too long.
   */
  async move(
    tx: Tx,
    { missed, place }: { readonly missed: MissedStart; readonly place: number },
    wish: StartWish,
  ): Promise<Booking | null> {
    const [moved] = await tx.query<Booking>(
      `update notion_limiter set
         grants[$12::int] = ${soonest('$12::int')},
         timescales[$12::int] = $9::text,
         blurs_ms[$12::int] = $10::float8
       where grants[$12::int] = $13::timestamptz and timescales[$12::int] = $14
         and blurs_ms[$12::int] = $15::float8 and ${IS_SOON_OVER}
       returning ${bookingOf('grants[$12::int]')},
         notion_rate(rate, recovers_from, ${NOW}) as rate`,
      [...this.valuesOf(wish), place, missed.grantedAt, missed.timescaleId, missed.lateMs],
    );
    return moved ?? null;
  }

  /**
   * The database's time, whether a pause began between a start and its call, and whether the caller's
   * lease still holds.
   */
  async check(tx: Tx, grantedAt: string, lease: Lease | null): Promise<Check> {
    const rows = await tx.query<Check>(
      `select ${msOf(NOW)} as "databaseMs",
         coalesce(paused_until > greatest($2::timestamptz, ${NOW}), false) as "isPaused",
         $3::bigint is null or ${isHeldSql('$3', '$4')} as "isHeld"
       from notion_limiter`,
      [this.clock.databaseNow(), grantedAt, lease?.jobId ?? null, lease?.claimNo ?? null],
    );
    return rows[0] ?? { databaseMs: 0, isPaused: true, isHeld: true };
  }

  /** Milliseconds until the pause ends; 0 without one. */
  async pausedForMs(tx: Tx): Promise<number> {
    const rows = await tx.query<{ ms: number }>(
      `select greatest(0, extract(epoch from paused_until - ${NOW})::float8 * 1000) as ms
       from notion_limiter`,
      [this.clock.databaseNow()],
    );
    return rows[0]?.ms ?? 0;
  }

  /** Begins or extends a pause; it never shortens one. */
  async pause(tx: Tx, forMs: number): Promise<void> {
    await tx.query(
      `update notion_limiter
       set paused_until = greatest(paused_until, ${NOW} + $2::float8 * interval '1 millisecond')`,
      [this.clock.databaseNow(), forMs],
    );
  }

  /**
   * Halves the rate, which recovers from the end of the pause on. Several calls that were refused at
   * the same time halve it once: a call granted before the last refusal is ignored.
   */
  async slowDown(tx: Tx, grantedAt: string): Promise<void> {
    await tx.query(
      `update notion_limiter set
         rate = greatest($3::float8, notion_rate(rate, recovers_from, ${NOW}) / 2),
         recovers_from = greatest(paused_until, ${NOW}),
         limited_at = ${NOW}
       where coalesce(limited_at < $2::timestamptz, true)`,
      [this.clock.databaseNow(), grantedAt, LEAST_RATE],
    );
  }

  private valuesOf(wish: StartWish): unknown[] {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = this.limits;
    return [
      this.clock.databaseNow(),
      wish.leadMs,
      maxPerSecond,
      maxAtOnce,
      maxPerMinute,
      SECOND_MS,
      MINUTE_MS,
      MAX_AWAITED_PAUSE_MS,
      wish.timescaleId,
      wish.lateMs,
      wish.earlyMs,
    ];
  }
}

/** A 429 halves the rate, but not below this. */
const LEAST_RATE = 0.125;
const NOW = `coalesce($1::timestamptz, clock_timestamp())`;
/** No pause, or one that is short enough to wait for. */
const IS_SOON_OVER = `coalesce(paused_until <= ${NOW} + $8::float8 * interval '1 millisecond', true)`;

/** A request for a start: by whom, how soon it can be used, and with what precision. */
export interface StartWish {
  readonly leadMs: number;
  readonly timescaleId: string;
  readonly earlyMs: number;
  readonly lateMs: number;
}

/** A granted start, in the database's time. */
export interface Booking {
  readonly grantedAt: string;
  /** The same, in milliseconds. */
  readonly grantedMs: number;
  /** When it was granted. */
  readonly databaseMs: number;
  /** The share of the allowed rate, from 0.125 to 1. */
  readonly rate: number;
}

/** A millisecond at the full rate; longer in proportion at a lower rate. */
const PACE = `(interval '1 millisecond' / notion_rate(rate, recovers_from, ${NOW}))`;

/**
 * The soonest start that the limits allow after the one at `place` of the log (0: a new one). The start
 * NOTION_MAX_RPS places further back has to be a second earlier; the same holds for a burst and the
 * minute. Starts of another timescale may be later than granted by their blur, and ours earlier.
 */
function soonest(place: '0' | '$12::int'): string {
  return `greatest(
    ${NOW} + $2::float8 * interval '1 millisecond',
    paused_until,
    (select max(log.at
        + case when log.timescale = $9 then 0 else coalesce(log.blur_ms, 0) + $11::float8 end
          * interval '1 millisecond'
        + greatest(
          case when log.place - ${place} >= $3::int then $6::float8 end,
          case when log.place - ${place} >= $4::int then $6::float8 * $4::int / $3::int end,
          case when log.place - ${place} >= $5::int then $7::float8 end) * ${PACE})
      from unnest(grants, timescales, blurs_ms) with ordinality
        as log(at, timescale, blur_ms, place)))`;
}

function bookingOf(start: string): string {
  return `${start}::text as "grantedAt", ${msOf(start)} as "grantedMs", ${msOf(NOW)} as "databaseMs"`;
}

function msOf(time: string): string {
  return `extract(epoch from ${time})::float8 * 1000`;
}

/** A missed start. Starts that are the same in all three may stand for each other in the log. */
export interface MissedStart {
  readonly grantedAt: string;
  readonly timescaleId: string;
  readonly lateMs: number;
}

/** The result of the check shortly before a start. */
export interface Check {
  readonly databaseMs: number;
  readonly isPaused: boolean;
  readonly isHeld: boolean;
}
