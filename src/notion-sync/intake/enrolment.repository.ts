import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken, newToken } from '../../common/ids';
import type { Tx } from '../../common/uow';

const OPEN_MS = 600_000;

export interface EnrolmentState {
  /** Null: no token is accepted. */
  readonly openUntil: Date | null;
  /** What signs the events of the webhook. */
  readonly token: string | null;
  readonly enrolledAt: Date | null;
}

/**
 * The verification token of the webhook (table `notion_enrolment`). Notion sends it once, and nothing
 * proves that it comes from Notion. So it is accepted only while an operator has opened enrolment, and
 * only at the address that the operator was shown. The first token uses up the address's nonce.
 *
 *   closed ──open──> open ──the first token──> closed, enrolled
 *                      └──10 minutes, close──> closed
 *
 * A new token replaces an old one.
 */
@Injectable()
export class EnrolmentRepository {
  constructor(private readonly clock: Clock) {}

  /** The time until which it is open, and the nonce of the address, which is shown once. */
  async open(tx: Tx): Promise<{ openUntil: Date; nonce: string }> {
    const nonce = newToken();
    const [row] = await tx.query<{ openUntil: Date }>(
      `insert into notion_enrolment (open_until, nonce_hash) values
         (coalesce($1::timestamptz, clock_timestamp()) + $2::float8 * interval '1 millisecond', $3)
       on conflict (id) do update
         set open_until = excluded.open_until, nonce_hash = excluded.nonce_hash
       returning open_until as "openUntil"`,
      [this.clock.databaseNow(), OPEN_MS, hashToken(nonce)],
    );
    if (row === undefined) throw new Error('the statement returned no row');
    return { openUntil: row.openUntil, nonce };
  }

  async close(tx: Tx): Promise<void> {
    await tx.query(`update notion_enrolment set open_until = null, nonce_hash = null`);
  }

  /** The hash of the open enrolment's nonce; null: none is open. */
  async openNonceHash(tx: Tx): Promise<string | null> {
    const [row] = await tx.query<{ nonce_hash: string | null }>(
      `select nonce_hash from notion_enrolment
       where open_until > coalesce($1::timestamptz, now())`,
      [this.clock.databaseNow()],
    );
    return row?.nonce_hash ?? null;
  }

  /** Stores the token if the nonce is the open one, and closes; of two at once, one is stored. */
  async enrol(tx: Tx, token: string, nonce: string): Promise<boolean> {
    const rows = await tx.query(
      `update notion_enrolment
       set token = $2, open_until = null, nonce_hash = null,
         enrolled_at = coalesce($1::timestamptz, clock_timestamp())
       where open_until > coalesce($1::timestamptz, clock_timestamp()) and nonce_hash = $3
       returning 1`,
      [this.clock.databaseNow(), token, hashToken(nonce)],
    );
    return rows.length > 0;
  }

  async state(tx: Tx): Promise<EnrolmentState> {
    const [row] = await tx.query<EnrolmentState>(
      `select token, enrolled_at as "enrolledAt",
         case when open_until > coalesce($1::timestamptz, now()) then open_until end as "openUntil"
       from notion_enrolment`,
      [this.clock.databaseNow()],
    );
    return row ?? { openUntil: null, token: null, enrolledAt: null };
  }
}
