import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { SendOutcome } from './sending-channel';

/** How a send ended; `started`: nobody wrote that down, its process may be gone. */
export type AttemptOutcome = 'started' | SendOutcome['kind'];

export interface AttemptRow {
  readonly id: string;
  readonly outcome: AttemptOutcome;
  readonly externalId: string | null;
}

/**
 * The log of sends (`delivery_attempt`): a row is added before each and completed after it, by
 * whoever sent, also without the lease. So a claim that finds a part `sending` may still learn
 * how that send ended.
 */
@Injectable()
export class DeliveryAttempts {
  constructor(private readonly clock: Clock) {}

  /** `unconfirmed`: an earlier send may have arrived, so the candidate may read it twice. */
  async begin(tx: Tx, deliveryId: string): Promise<string> {
    const rows = await tx.query<{ id: string }>(
      `insert into delivery_attempt (delivery_id, started_at, unconfirmed)
       select $1::bigint, coalesce($2::timestamptz, clock_timestamp()), exists (
         select from delivery_attempt
         where delivery_id = $1::bigint and outcome in ('started', 'unknown', 'server_error'))
       returning id`,
      [deliveryId, this.clock.databaseNow()],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('an insert returned no row');
    return row.id;
  }

  /** The first word about a send stands. */
  async end(tx: Tx, id: string, outcome: SendOutcome): Promise<void> {
    await tx.query(
      `update delivery_attempt set outcome = $2, external_id = $3,
         ended_at = coalesce($4::timestamptz, clock_timestamp())
       where id = $1 and outcome = 'started'`,
      [
        id,
        outcome.kind,
        outcome.kind === 'sent' ? outcome.externalId : null,
        this.clock.databaseNow(),
      ],
    );
  }

  async findLast(tx: Tx, deliveryId: string): Promise<AttemptRow | undefined> {
    const rows = await tx.query<AttemptRow>(
      `select id, outcome, external_id as "externalId" from delivery_attempt
       where delivery_id = $1 order by id desc limit 1`,
      [deliveryId],
    );
    return rows[0];
  }
}
