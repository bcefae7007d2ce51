import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';

/** What one person at a time has: an interview with all items about it, or an item about none. */
export interface ClaimSubject {
  /** `conversation:<id>` or `item:<id>`. */
  readonly subject: string;
  readonly itemId: string | null;
  readonly conversationId: string | null;
}

export interface ClaimRow {
  readonly subject: string;
  /** As the audit names it: `user Ada Lovelace`, `key crm`. */
  readonly heldBy: string;
  readonly claimedAt: Date;
  /** The last act of the holder. */
  readonly usedAt: Date;
}

const COLUMNS = 'subject, held_by as "heldBy", claimed_at as "claimedAt", used_at as "usedAt"';
const NOW = 'coalesce($1::timestamptz, clock_timestamp())';
/** $2: for how long a claim lives after the last act of its holder. */
const LIVES = `used_at > ${NOW} - $2::float8 * interval '1 millisecond'`;

/** A row that is held by another one is locked all the same, so that it can be read afterwards. */
const TAKE = `
insert into attention_claim as c (subject, item_id, conversation_id, held_by, claimed_at, used_at)
values ($3, $4, $5, $6, ${NOW}, ${NOW})
on conflict (subject) do update set
  claimed_at = case when c.held_by = excluded.held_by and c.${LIVES}
    then c.claimed_at else excluded.claimed_at end,
  held_by = excluded.held_by, used_at = greatest(c.used_at, excluded.used_at)
where c.held_by in (excluded.held_by, $7) or not c.${LIVES}
returning ${COLUMNS}`;

/** The table `attention_claim`: each statement decides by the row and the database's clock in one step. */
@Injectable()
export class ClaimRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Gives the subject to `by` if nobody has it, if they have it already, or if `from` has it. Null: somebody
   * else has it.
   */
  async take(
    tx: Tx,
    { subject, itemId, conversationId }: ClaimSubject,
    { by, from, quietMs }: { by: string; from: string | null; quietMs: number },
  ): Promise<ClaimRow | null> {
    const values = [this.clock.databaseNow(), quietMs, subject, itemId, conversationId, by, from];
    const [row] = await tx.query<ClaimRow>(TAKE, values);
    return row ?? null;
  }

  /** Those of the subjects that somebody has now. */
  list(tx: Tx, subjects: readonly string[], quietMs: number): Promise<ClaimRow[]> {
    return tx.query<ClaimRow>(
      `select ${COLUMNS} from attention_claim where subject = any($3) and ${LIVES}`,
      [this.clock.databaseNow(), quietMs, subjects],
    );
  }

  /** The holder is still at it. */
  async use(tx: Tx, subject: string, by: string): Promise<void> {
    await tx.query(
      `update attention_claim set used_at = greatest(used_at, ${NOW})
       where subject = $2 and held_by = $3`,
      [this.clock.databaseNow(), subject, by],
    );
  }

  /** False: `by` did not have it. */
  async release(tx: Tx, subject: string, by: string): Promise<boolean> {
    const rows = await tx.query(
      'delete from attention_claim where subject = $1 and held_by = $2 returning subject',
      [subject, by],
    );
    return rows.length > 0;
  }
}
