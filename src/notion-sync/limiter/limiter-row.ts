import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { MINUTE_MS, PATIENCE_MS, SECOND_MS } from './timing';

export interface Booking {
  readonly grantedAt: string;
  /** From the statement to the start. */
  readonly waitMs: number;
  /** The share of the allowed rate, from 0.125 to 1. */
  readonly rate: number;
}

/** A 429 halves the rate, but not below this. */
const LEAST_RATE = 0.125;
const NOW = `coalesce($1::timestamptz, clock_timestamp())`;
/** A millisecond at the full rate, and as much longer as the rate is lower. */
const PACE = `(interval '1 millisecond' / notion_rate(rate, recovers_from, ${NOW}))`;

/** The statements on the only row of `notion_limiter`. Whoever holds its lock decides. */
@Injectable()
export class LimiterRow {
  private readonly limits;

  constructor(
    private readonly clock: Clock,
    settings: Settings,
  ) {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = settings.notion;
    this.limits = { maxPerSecond, maxAtOnce, maxPerMinute };
  }

  /**
   * The next free start; null while a pause is too long to wait for. Nobody starts before whoever
   * asked earlier. Newest first: `grants[n]` is the n-th last start, null (and ignored) where there
   * were fewer. Whoever waited for another booking's lock sees that booking, and reads the clock
   * again: PostgreSQL evaluates the whole expression anew.
   */
  async book(tx: Tx, leadMs: number): Promise<Booking | null> {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = this.limits;
    const rows = await tx.query<Booking>(
      `update notion_limiter set grants = array_prepend(
         greatest(
           ${NOW} + $2::float8 * interval '1 millisecond',
           paused_until,
           grants[1],
           grants[$3::int] + $6::float8 * ${PACE},
           grants[$4::int] + $6::float8 * $4::int / $3::int * ${PACE},
           grants[$5::int] + $7::float8 * ${PACE}),
         grants[1:greatest($5::int, cardinality(grants)) - 1])
       where coalesce(paused_until <= ${NOW} + $8::float8 * interval '1 millisecond', true)
       returning grants[1]::text as "grantedAt",
         extract(epoch from grants[1] - ${NOW})::float8 * 1000 as "waitMs",
         notion_rate(rate, recovers_from, ${NOW}) as rate`,
      [
        this.clock.databaseNow(),
        leadMs,
        maxPerSecond,
        maxAtOnce,
        maxPerMinute,
        SECOND_MS,
        MINUTE_MS,
        PATIENCE_MS,
      ],
    );
    return rows[0] ?? null;
  }

  /**
   * Another start in place of one that was missed, as soon as may be; null where somebody has
   * booked against that one already, or a pause is too long. To move it later then harms nobody:
   * the calls that it holds back are not in the log yet.
   */
  async move(tx: Tx, missed: string, leadMs: number): Promise<Booking | null> {
    const { maxPerSecond, maxAtOnce, maxPerMinute } = this.limits;
    const rows = await tx.query<{ place: number; grantedAt: string; rate: number }>(
      `select array_position(grants, $2::timestamptz) as place,
         greatest(${NOW} + $3::float8 * interval '1 millisecond', paused_until)::text
           as "grantedAt",
         notion_rate(rate, recovers_from, ${NOW}) as rate
       from notion_limiter
       where array_position(grants, $2::timestamptz) <= $4::int
         and coalesce(paused_until <= ${NOW} + $5::float8 * interval '1 millisecond', true)
       for no key update`,
      [
        this.clock.databaseNow(),
        missed,
        leadMs,
        Math.min(maxPerSecond, maxAtOnce, maxPerMinute),
        PATIENCE_MS,
      ],
    );
    const [found] = rows;
    if (found === undefined) return null;
    const [moved] = await tx.query<{ waitMs: number }>(
      `update notion_limiter set grants[$2::int] = $3::timestamptz
       returning extract(epoch from $3::timestamptz - ${NOW})::float8 * 1000 as "waitMs"`,
      [this.clock.databaseNow(), found.place, found.grantedAt],
    );
    return { grantedAt: found.grantedAt, rate: found.rate, waitMs: moved?.waitMs ?? 0 };
  }

  /** How far away a start is (negative: in the past), and whether a pause came in between. */
  async check(tx: Tx, grantedAt: string): Promise<{ remainingMs: number; isPaused: boolean }> {
    const rows = await tx.query<{ remainingMs: number; isPaused: boolean }>(
      `select extract(epoch from $2::timestamptz - ${NOW})::float8 * 1000 as "remainingMs",
         coalesce(paused_until > greatest($2::timestamptz, ${NOW}), false) as "isPaused"
       from notion_limiter`,
      [this.clock.databaseNow(), grantedAt],
    );
    return rows[0] ?? { remainingMs: 0, isPaused: true };
  }

  /** What is left of the pause; 0 without one. */
  async pausedForMs(tx: Tx): Promise<number> {
    const rows = await tx.query<{ ms: number }>(
      `select greatest(0, extract(epoch from paused_until - ${NOW})::float8 * 1000) as ms
       from notion_limiter`,
      [this.clock.databaseNow()],
    );
    return rows[0]?.ms ?? 0;
  }

  /** Never ends a pause sooner. */
  async pause(tx: Tx, forMs: number): Promise<void> {
    await tx.query(
      `update notion_limiter
       set paused_until = greatest(paused_until, ${NOW} + $2::float8 * interval '1 millisecond')`,
      [this.clock.databaseNow(), forMs],
    );
  }

  /**
   * Halves the rate, which recovers from the end of the pause. Several calls that were refused at
   * the same time halve it once: one that was granted before the last refusal says nothing new.
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
}
