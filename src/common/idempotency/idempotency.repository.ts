import { Injectable } from '@nestjs/common';
import { Clock } from '../clock';
import { newId } from '../ids';
import type { Tx } from '../uow';

/**
 * A request with an Idempotency-Key, by the hash of caller, address and key.
 *
 *   (none) ──claim──> running ──store──> stored ──a day──> (none)
 *                      │  └──its lease has ended──> running, with another claim
 *                      └──it was refused or failed──> (none)
 *
 * A write that names an older claim changes nothing, so that a request which was thought dead cannot store its
 * effect beside the one that has taken over.
 */
export interface IdempotentRequest {
  /** SHA-256 as hex. */
  readonly keyHash: string;
  readonly bodyHash: string;
}

/** What names a claim. */
export interface ClaimedRequest extends IdempotentRequest {
  readonly claim: string;
}

type ClaimOutcome =
  | { readonly state: 'claimed'; readonly request: ClaimedRequest }
  | { readonly state: 'running' | 'other_body' }
  | { readonly state: 'stored'; readonly response: Buffer };

/** Longer than any request takes; after a crash its key is free again then. */
export const LEASE_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** `$4` is the time of tests, null in production. */
const CLAIM = `
insert into idempotent_request as r (key_hash, body_hash, claim, claimed_until, created_at)
select $1::text, $2::text, $3::uuid, now.at + $5::float8 * interval '1 millisecond', now.at
from (select coalesce($4::timestamptz, clock_timestamp()) as at) as now
on conflict (key_hash) do update
set body_hash = excluded.body_hash, claim = excluded.claim, claimed_until = excluded.claimed_until,
  created_at = excluded.created_at, response = null
where r.created_at <= excluded.created_at - $6::float8 * interval '1 millisecond'
  or r.response is null and r.claimed_until <= excluded.created_at and r.body_hash = excluded.body_hash
returning r.claim`;

const STORE = `
update idempotent_request set response = $3 where key_hash = $1 and claim = $2 returning key_hash`;

const RELEASE = `
delete from idempotent_request where key_hash = $1 and claim = $2 and response is null`;

const DELETE_OLD = `
delete from idempotent_request where key_hash in (
  select key_hash from idempotent_request
  where created_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  order by created_at limit $3 for update skip locked)
returning key_hash`;

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly clock: Clock) {}

  async claim(tx: Tx, request: IdempotentRequest): Promise<ClaimOutcome> {
    const { keyHash, bodyHash } = request;
    const claim = newId();
    const now = this.clock.databaseNow();
    const values = [keyHash, bodyHash, claim, now, LEASE_MS, KEPT_MS];
    const claimed = await tx.query(CLAIM, values);
    if (claimed.length > 0) return { state: 'claimed', request: { keyHash, bodyHash, claim } };
    const [known] = await tx.query<{ bodyHash: string; response: Buffer | null }>(
      'select body_hash as "bodyHash", response from idempotent_request where key_hash = $1',
      [keyHash],
    );
    // It has failed meanwhile, and the caller comes back.
    if (known === undefined) return { state: 'running' };
    if (known.bodyHash !== bodyHash) return { state: 'other_body' };
    const { response } = known;
    return response === null ? { state: 'running' } : { state: 'stored', response };
  }

  /** False: another request has taken over. */
  async store(tx: Tx, { keyHash, claim }: ClaimedRequest, response: Buffer): Promise<boolean> {
    return (await tx.query(STORE, [keyHash, claim, response])).length > 0;
  }

  /** Frees the key, unless a response is stored. */
  async release(tx: Tx, { keyHash, claim }: ClaimedRequest): Promise<void> {
    await tx.query(RELEASE, [keyHash, claim]);
  }

  /** Deletes the oldest rows older than a day; returns how many. */
  async deleteOld(tx: Tx, limit: number): Promise<number> {
    const rows = await tx.query(DELETE_OLD, [this.clock.databaseNow(), KEPT_MS, limit]);
    return rows.length;
  }
}
