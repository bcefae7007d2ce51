import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** Until when a channel sends nothing (`channel_limiter`): in the database, so all replicas obey. */
@Injectable()
export class ChannelLimiter {
  constructor(private readonly clock: Clock) {}

  /** Never ends a pause sooner. */
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

  /** What is left of the pause in milliseconds; 0 without one. */
  async pausedForMs(tx: Tx, channel: string): Promise<number> {
    const rows = await tx.query<{ ms: number }>(
      `select greatest(0, extract(epoch from
           paused_until - coalesce($2::timestamptz, clock_timestamp()))::float8 * 1000) as ms
       from channel_limiter where channel = $1`,
      [channel, this.clock.databaseNow()],
    );
    return rows[0]?.ms ?? 0;
  }
}
