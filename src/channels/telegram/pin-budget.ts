import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';

const HOUR_MS = 3_600_000;
const NOW = `coalesce($1::timestamptz, clock_timestamp())`;

/**
 * `pin_budget`: how many wrong PINs all accounts together may send in an hour. An account is locked
 * after a few, but accounts are cheap. While the budget is used up no PIN opens anything; links do.
 */
@Injectable()
export class PinBudget {
  constructor(
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** For how long no PIN is taken, in milliseconds; 0: they are. */
  async spentForMs(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ wrong: number; leftMs: number }>(
      `select wrong, extract(epoch from began_at - ${NOW})::float8 * 1000 + ${String(HOUR_MS)}
         as "leftMs" from pin_budget`,
      [this.clock.databaseNow()],
    );
    const isSpent = row !== undefined && row.wrong >= this.settings.telegram.wrongPinsPerHour;
    return isSpent ? Math.max(0, row.leftMs) : 0;
  }

  /** One more wrong PIN; an hour begins with the first one after the last hour's end. */
  async spend(tx: Tx): Promise<void> {
    await tx.query(
      `insert into pin_budget as b (began_at, wrong) values (${NOW}, 1)
       on conflict (id) do update set
         wrong = case when b.began_at <= ${NOW} - interval '1 hour' then 1 else b.wrong + 1 end,
         began_at = case when b.began_at <= ${NOW} - interval '1 hour' then ${NOW}
           else b.began_at end`,
      [this.clock.databaseNow()],
    );
  }
}
