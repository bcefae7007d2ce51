import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** What a channel waits for before it sends. */
export interface ChannelState {
  /** What is left of the pause (429) in milliseconds; 0 without one. */
  readonly pausedForMs: number;
  /**
   * Changes with every failure, so that `recover` notices one that came meanwhile; null: the breaker is
   * closed.
   */
  readonly failureNo: string | null;
  /** How long all outages together have lasted so far, in milliseconds. */
  readonly outageMs: number;
}

/** When something is to be sent again. */
export interface ResendTime {
  /** Negative: overdue, unless an outage came during its pause. */
  readonly dueInMs: number;
  /** `ChannelState.outageMs` when its pause began; null: the time of outages counts towards it. */
  readonly outageMs: number | null;
}

/** Chats resume within this share of the pause after it, so that they do not all send at once. */
const JITTER_SHARE = 0.25;
const MIN_JITTER_MS = 1000;
const MAX_JITTER_MS = 15_000;
const NONE: ChannelState = { pausedForMs: 0, failureNo: null, outageMs: 0 };

/**
 * When a channel sends nothing (`channel_limiter`): in the database, so all replicas obey.
 *
 *   pause    the server asked for it (429): until `paused_until`.
 *   outage   the channel's breaker is open since `outage_since`: the server did not respond, or
 *            responded with a 5xx. It ends when the server responds to a call that sends nothing.
 *            The time of an outage does not count towards the pause before a resend.
 */
@Injectable()
export class ChannelLimiterRepository {
  constructor(private readonly clock: Clock) {}

  /** Never shortens a pause. */
  async pause(tx: Tx, channel: string, forMs: number): Promise<void> {
    await tx.query(
      `insert into channel_limiter as l (channel, paused_until)
       values ($1,
         coalesce($3::timestamptz, clock_timestamp()) + $2::float8 * interval '1 millisecond')
       on conflict (channel) do update
       set paused_until = greatest(l.paused_until, excluded.paused_until)`,
      [channel, forMs, this.clock.databaseNow()],
    );
  }

  /** Opens the breaker, or counts another failure of the open one. Returns `outageMs`. */
  async fail(tx: Tx, channel: string): Promise<number> {
    const [row] = await tx.query<{ outageMs: number }>(
      `insert into channel_limiter as l (channel, paused_until, outage_since, outage_no)
       select $1, now, now, 1 from (
         select coalesce($2::timestamptz, clock_timestamp()) as now) n
       on conflict (channel) do update
       set outage_no = l.outage_no + 1, outage_since = coalesce(l.outage_since, excluded.outage_since)
       returning outage_ms + extract(epoch from
         coalesce($2::timestamptz, clock_timestamp()) - outage_since)::float8 * 1000 as "outageMs"`,
      [channel, this.clock.databaseNow()],
    );
    return row?.outageMs ?? 0;
  }

  /** Closes the breaker, unless another failure came after `failureNo` was read. */
  async recover(tx: Tx, channel: string, failureNo: string): Promise<void> {
    await tx.query(
      `update channel_limiter
       set outage_since = null, outage_ms = outage_ms + greatest(0, extract(epoch from
         coalesce($3::timestamptz, clock_timestamp()) - outage_since)::float8 * 1000)
       where channel = $1 and outage_no = $2 and outage_since is not null`,
      [channel, failureNo, this.clock.databaseNow()],
    );
  }

  async state(tx: Tx, channel: string): Promise<ChannelState> {
    const [row] = await tx.query<ChannelState>(
      `select greatest(0, extract(epoch from paused_until - now)::float8 * 1000) as "pausedForMs",
         case when outage_since is not null then outage_no end as "failureNo",
         outage_ms + coalesce(extract(epoch from now - outage_since)::float8 * 1000, 0)
           as "outageMs"
       from channel_limiter, (select coalesce($2::timestamptz, clock_timestamp()) as now) n
       where channel = $1`,
      [channel, this.clock.databaseNow()],
    );
    return row ?? NONE;
  }

  /** What is left of the pause, in milliseconds; 0 without one. */
  async pausedForMs(tx: Tx, channel: string): Promise<number> {
    return (await this.state(tx, channel)).pausedForMs;
  }
}

/**
 * How long a part waits before it is sent, in milliseconds; 0: it is sent now. `chance` is a number
 * from 0 to 1: after a pause of the channel its chats resume at different times.
 */
export function waitMsOf(channel: ChannelState, resend: ResendTime, chance: number): number {
  const outageDuringPauseMs = resend.outageMs === null ? 0 : channel.outageMs - resend.outageMs;
  const dueInMs = Math.max(0, resend.dueInMs + outageDuringPauseMs);
  if (channel.pausedForMs <= 0) return dueInMs;
  return Math.max(dueInMs, channel.pausedForMs + chance * jitterMsOf(channel.pausedForMs));
}

function jitterMsOf(pausedForMs: number): number {
  return Math.min(MAX_JITTER_MS, Math.max(MIN_JITTER_MS, pausedForMs * JITTER_SHARE));
}
