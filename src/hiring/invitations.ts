import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { hashToken, newId } from '../common/ids';
import type { Tx } from '../common/uow';
import type { InvitationSecrets } from './invitation-secrets';
import type { Vacancy } from './plan';
import { Vacancies } from './vacancies';

/**
 * Who may be interviewed. A personal invitation is one candidate's and ends: by its date, or
 * because it was issued again. A vacancy's open link is anybody's and does not end.
 *
 *   ok ──date──> expired        ok ──issued again──> expired (revoked)
 *
 * Only the hash of a personal token is stored, so a link can be shown once and only replaced.
 */
export interface Invitation {
  readonly id: string;
  readonly vacancyId: string;
  readonly candidateId: string;
  readonly pinHash: string;
  readonly expiresAt: Date;
}

export type FoundInvite =
  | { readonly state: 'unknown' }
  | {
      readonly state: 'ok' | 'expired';
      readonly kind: 'personal';
      readonly vacancy: Vacancy;
      readonly invitation: Invitation;
    }
  | { readonly state: 'ok'; readonly kind: 'open'; readonly vacancy: Vacancy };

interface Row {
  readonly id: string;
  readonly vacancy_id: string;
  readonly candidate_id: string;
  readonly pin_hash: string;
  readonly expires_at: Date;
  readonly is_open: boolean;
}

const DEFAULT_VALID_MS = 14 * 24 * 3_600_000;
/** What newToken() makes; anything else is unknown without asking the database. */
const TOKEN = /^[\w-]{16,64}$/;

const CREATE = `
insert into invitation (id, vacancy_id, candidate_id, token_hash, pin_hash, expires_at, created_at)
values ($1, $2, $3, $4, $5,
  coalesce($6::timestamptz,
    coalesce($8::timestamptz, clock_timestamp()) + $7 * interval '1 millisecond'),
  coalesce($8::timestamptz, clock_timestamp()))
returning expires_at`;

const REVOKE = `
update invitation set revoked_at = coalesce($3::timestamptz, clock_timestamp())
where vacancy_id = $1 and candidate_id = $2 and revoked_at is null`;

const FIND = `
select id, vacancy_id, candidate_id, pin_hash, expires_at,
  (revoked_at is null and expires_at > coalesce($2::timestamptz, now())) as is_open
from invitation where token_hash = $1`;

@Injectable()
export class Invitations {
  constructor(
    private readonly clock: Clock,
    private readonly vacancies: Vacancies,
  ) {}

  /**
   * A personal invitation, valid for 14 days unless `expiresAt` says otherwise. One that this
   * candidate already has for the vacancy is revoked: issuing again replaces a lost link.
   */
  async issue(
    tx: Tx,
    input: {
      vacancyId: string;
      candidateId: string;
      secrets: InvitationSecrets;
      expiresAt?: Date;
    },
  ): Promise<Invitation> {
    const now = this.clock.databaseNow();
    await tx.query(REVOKE, [input.vacancyId, input.candidateId, now]);
    const id = newId();
    const [row] = await tx.query<{ expires_at: Date }>(CREATE, [
      id,
      input.vacancyId,
      input.candidateId,
      input.secrets.tokenHash,
      input.secrets.pinHash,
      input.expiresAt ?? null,
      DEFAULT_VALID_MS,
      now,
    ]);
    if (row === undefined) throw new Error('an insert returned no row');
    return {
      id,
      vacancyId: input.vacancyId,
      candidateId: input.candidateId,
      pinHash: input.secrets.pinHash,
      expiresAt: row.expires_at,
    };
  }

  /** What a link's token leads to. Reads only. */
  async findByToken(tx: Tx, token: string): Promise<FoundInvite> {
    if (!TOKEN.test(token)) return { state: 'unknown' };
    const [row] = await tx.query<Row>(FIND, [hashToken(token), this.clock.databaseNow()]);
    if (row === undefined) {
      const open = await this.vacancies.findByOpenToken(tx, token);
      return open === null ? { state: 'unknown' } : { state: 'ok', kind: 'open', vacancy: open };
    }
    const vacancy = await this.vacancies.find(tx, row.vacancy_id);
    if (vacancy === null) return { state: 'unknown' };
    const state = row.is_open ? 'ok' : 'expired';
    return { state, kind: 'personal', vacancy, invitation: invitationOf(row) };
  }
}

function invitationOf(row: Row): Invitation {
  return {
    id: row.id,
    vacancyId: row.vacancy_id,
    candidateId: row.candidate_id,
    pinHash: row.pin_hash,
    expiresAt: row.expires_at,
  };
}
