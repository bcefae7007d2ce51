import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/** How long a person's word holds: Notion may be away, and a large board takes many turns. */
const APPROVED_MS = 24 * 3_600_000;

/**
 * `notion_board_pass`: whose board the brake does not hold back until it shows its ranking: a person
 * has approved it, or a run has begun to write it, and a board half written helps nobody. What a run
 * does about it is stored with its end (`RUN_END`).
 */
@Injectable()
export class BoardPasses {
  constructor(private readonly clock: Clock) {}

  async holds(tx: Tx, userId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from notion_board_pass
       where user_id = $1 and expires_at > coalesce($2::timestamptz, now())`,
      [userId, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  async approve(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `insert into notion_board_pass as p (user_id, expires_at)
       values ($1, coalesce($2::timestamptz, clock_timestamp()) + $3 * interval '1 millisecond')
       on conflict (user_id) do update
       set expires_at = greatest(p.expires_at, excluded.expires_at)`,
      [userId, this.clock.databaseNow(), APPROVED_MS],
    );
  }
}
