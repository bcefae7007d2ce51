import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { Tx } from '../../../common/uow';

/**
 * The limits of wrong PINs (tables `pin_failure` and `pin_budget`).
 *
 * - Per account: after five wrong PINs it is locked for 15 minutes; each further lock is four times as
 *   long, up to a day; a week after the last lock it starts again. An erasure does not end a lock.
 * - For all accounts per hour: PIN_BUDGETS.wrong. Accounts are cheap, so strangers can use
 *   this up at any time.
 * - The first three wrong PINs of an account do not count there but in a much larger budget
 *   (PIN_BUDGETS.first). A person with the right PIN, mistyped or not, gets in while
 *   strangers use up the other one; using up this one takes hundreds of new accounts every hour.
 *
 * Both budgets together bound what can be guessed (ADR 24).
 */
@Injectable()
export class PinLimits {
  constructor(private readonly clock: Clock) {}

  /** Takes no lock. */
  async stateOf(tx: Tx, userId: number): Promise<PinState> {
    const [row] = await tx.query<{
      tries: number;
      lockedForMs: number;
      wrong: number;
      wrongFirst: number;
      hourLeftMs: number;
    }>(STATE, [this.clock.databaseNow(), userId]);
    if (row === undefined) throw new Error('a select of one row returned none');
    const isSpent =
      row.tries < FIRST_TRIES
        ? row.wrongFirst >= PIN_BUDGETS.first
        : row.wrong >= PIN_BUDGETS.wrong;
    return { lockedForMs: row.lockedForMs, pausedForMs: isSpent ? row.hourLeftMs : 0 };
  }

  /** Counts a wrong PIN. The caller holds the account's lock. */
  async failed(tx: Tx, userId: number): Promise<{ lockedForMs: number }> {
    const now = this.clock.databaseNow();
    const [row] = await tx.query<{ tries: number; lockedForMs: number }>(FAILED, [
      now,
      userId,
      LIMIT,
      LOCK_MS,
    ]);
    if (row === undefined) throw new Error('a wrong PIN was not counted');
    await tx.query(SPEND, [now, row.tries <= FIRST_TRIES]);
    return { lockedForMs: row.lockedForMs };
  }

  /** Deletes a batch of counts that are no longer needed; true: there may be more. */
  async sweep(tx: Tx): Promise<boolean> {
    const rows = await tx.query(SWEEP, [this.clock.databaseNow(), KEPT_MS, BATCH]);
    return rows.length === BATCH;
  }
}

/** Wrong PINs until an account is locked, and its first lock. */
const LIMIT = 5;
const LOCK_MS = 15 * 60_000;
/** The first wrong PINs of an account, which have a budget of their own because people mistype. */
const FIRST_TRIES = 3;

const HOUR_MS = 3_600_000;

/** Without a wrong PIN for this long, an account counts as new. */
const KEPT_MS = 90 * 24 * HOUR_MS;
const BATCH = 1000;

const NOW = `coalesce($1::timestamptz, clock_timestamp())`;
const ACCOUNT = pinAccountHash('$2::bigint');

const STATE = `
select coalesce(f.tries, 0) as tries,
  greatest(0, coalesce(extract(epoch from f.locked_until - ${NOW})::float8 * 1000, 0))
    as "lockedForMs",
  coalesce(b.wrong, 0) as wrong, coalesce(b.wrong_first, 0) as "wrongFirst",
  greatest(0, coalesce(extract(epoch from b.began_at - ${NOW})::float8 * 1000 + ${String(HOUR_MS)}, 0))
    as "hourLeftMs"
from (values (true)) as one
left join pin_failure f on f.account_hash = ${ACCOUNT}
left join pin_budget b on true`;

/** $3: limit, $4: first lock in milliseconds. */
const FAILED = `
insert into pin_failure as f (account_hash, tries, failures, locks, last_at)
values (${ACCOUNT}, 1, 1, 0, ${NOW})
on conflict (account_hash) do update set
  tries = f.tries + 1,
  last_at = ${NOW},
  failures = case when f.failures + 1 >= $3 then 0 else f.failures + 1 end,
  locks = case when f.failures + 1 < $3 then f.locks
    when f.locked_until < ${NOW} - interval '7 days' then 1 else f.locks + 1 end,
  locked_until = case when f.failures + 1 < $3 then f.locked_until
    when f.locked_until < ${NOW} - interval '7 days' then ${NOW} + $4 * interval '1 millisecond'
    else ${NOW} + least($4::float8 * power(4, least(f.locks, 10)), 86400000)
      * interval '1 millisecond' end
returning tries, case when failures = 0
  then extract(epoch from locked_until - ${NOW})::float8 * 1000 else 0 end as "lockedForMs"`;

/** $2: how long they are kept, in milliseconds; $3: how many rows at most. */
const SWEEP = `
delete from pin_failure where account_hash in (
  select account_hash from pin_failure
  where last_at <= ${NOW} - $2 * interval '1 millisecond'
  order by last_at limit $3 for update skip locked)
returning 1 as deleted`;

/** $2: whether it was one of its account's first tries. */
const SPEND = `
insert into pin_budget as b (began_at, wrong, wrong_first)
values (${NOW}, case when $2 then 0 else 1 end, case when $2 then 1 else 0 end)
on conflict (id) do update set
  wrong = excluded.wrong
    + case when b.began_at <= ${NOW} - interval '1 hour' then 0 else b.wrong end,
  wrong_first = excluded.wrong_first
    + case when b.began_at <= ${NOW} - interval '1 hour' then 0 else b.wrong_first end,
  began_at = case when b.began_at <= ${NOW} - interval '1 hour' then ${NOW} else b.began_at end`;

/** Wrong PINs of all accounts together in an hour; after that PINs are refused until the hour is over. */
export const PIN_BUDGETS = { wrong: 100, first: 1000 };

/** Whether an account may try a PIN. */
interface PinState {
  /** Milliseconds for which PINs of this account are refused; 0: they are accepted. */
  readonly lockedForMs: number;
  /** The same, because all accounts together have used up the hourly budget. */
  readonly pausedForMs: number;
}

/**
 * SQL for the key of an account's row; `userId` is an SQL expression. It depends on a secret of the
 * deployment, which exists once a PIN was hashed: the row stays when the person is erased, and does
 * not name them.
 */
export function pinAccountHash(userId: string): string {
  return `encode(sha256(convert_to((select value from deployment_secret
    where name = 'pin_salt') || ':telegram:' || (${userId})::text, 'UTF8')), 'hex')`;
}
