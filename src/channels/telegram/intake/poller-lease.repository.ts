import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Settings } from '../../../common/config';
import type { Tx } from '../../../common/uow';
import { ReplicaId } from '../../../jobs';
import { BotIdentity } from '../account';

/**
 * The table `telegram_poller`: which replica polls Telegram, which allows only one. The lease is as
 * long as a job's. Two replicas that poll for a moment do no harm: an update is stored once.
 */
@Injectable()
export class PollerLeaseRepository {
  readonly leaseMs;

  constructor(
    settings: Settings,
    private readonly replica: ReplicaId,
    private readonly identity: BotIdentity,
    private readonly clock: Clock,
  ) {
    this.leaseMs = settings.jobs.leaseMs;
  }

  /** Takes or renews the lease; true: this replica polls for `leaseMs` from the call on. */
  async take(tx: Tx): Promise<boolean> {
    const rows = await tx.query(
      `insert into telegram_poller as p (bot_id, holder, held_until)
       values ($1, $2,
         coalesce($4::timestamptz, clock_timestamp()) + $3::float8 * interval '1 millisecond')
       on conflict (bot_id) do update
       set holder = excluded.holder, held_until = excluded.held_until
       where p.holder = excluded.holder
         or p.held_until <= coalesce($4::timestamptz, clock_timestamp())
       returning 1`,
      [this.identity.botId, this.replica.value, this.leaseMs, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** Frees the lease, so that the next replica does not wait until it lapses. */
  async giveBack(tx: Tx): Promise<void> {
    await tx.query(`delete from telegram_poller where bot_id = $1 and holder = $2`, [
      this.identity.botId,
      this.replica.value,
    ]);
  }

  /**
   * Milliseconds until the other replica's lease ends, unless it renews it. At least 1, because the
   * lease may have ended since.
   */
  async endsInMs(tx: Tx): Promise<number> {
    const [held] = await tx.query<{ ms: number }>(
      `select extract(epoch from held_until - coalesce($2::timestamptz, clock_timestamp()))::float8
         * 1000 as ms
       from telegram_poller where bot_id = $1`,
      [this.identity.botId, this.clock.databaseNow()],
    );
    return Math.max(1, held?.ms ?? 0);
  }
}
