import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { hashToken, isUuid, newId, newToken } from '../common/ids';
import type { Tx } from '../common/uow';
import { ExternalIdTakenError, PinTakenError, type Vacancy } from './vacancy';
import type { InvitationSecrets } from './invitation-secrets';
import { VacancyRepository } from './vacancy.repository';

/**
 * `$…::timestamptz` in the statements is the time of tests, null in production.
 *
 * CREATE returns no row when another invitation that was not revoked has the PIN, or one of the vacancy the
 * external id. Tokens never collide. What an invitation that is issued again does not give, it takes over from the one
 * before.
 */
const CREATE = `
insert into invitation (id, vacancy_id, candidate_id, token_hash, pin_key, expires_at, created_at,
  external_id, metadata)
select $1::uuid, $2::uuid, $3::uuid, $4::text, $5::text,
  coalesce($6::timestamptz,
    coalesce($8::timestamptz, clock_timestamp()) + $7::float8 * interval '1 millisecond'),
  coalesce($8::timestamptz, clock_timestamp()),
  coalesce($9::text, earlier.external_id), coalesce($10::jsonb, earlier.metadata, '{}')
from (values (1)) as one left join lateral (
  select external_id, metadata from invitation
  where candidate_id = $3::uuid and vacancy_id = $2::uuid
  order by created_at desc, id desc limit 1) earlier on true
on conflict do nothing
returning expires_at, external_id, metadata`;

const TAKEN = `
select external_id as "externalId" from invitation
where vacancy_id = $1 and external_id = any($2::text[]) and revoked_at is null`;

const REVOKE = `
update invitation set revoked_at = coalesce($3::timestamptz, clock_timestamp())
where vacancy_id = $1 and candidate_id = $2 and revoked_at is null`;

/** Issuing again revokes the one before in the commit that makes the last one. */
const RESTORABLE = `
with last as (
  select id, created_at from invitation
  where vacancy_id = $1 and candidate_id = $2 order by created_at desc, id desc limit 1)
select last.id as last, before.id as before
from last cross join lateral (
  select id, revoked_at, pin_key from invitation
  where vacancy_id = $1 and candidate_id = $2 and id <> last.id
  order by created_at desc, id desc limit 1) before
  join invitation own on own.id = last.id
where own.revoked_at is null and own.bound_to is null
  and own.created_at > coalesce($4::timestamptz, clock_timestamp())
    - $3::float8 * interval '1 millisecond'
  and before.revoked_at between own.created_at - interval '10 seconds' and own.created_at
  and not exists (select from invitation other
    where other.pin_key = before.pin_key and other.revoked_at is null)
for no key update of own`;

const COLUMNS = `i.id, i.vacancy_id, i.candidate_id, i.expires_at, i.bound_to, i.external_id, i.metadata,
  (i.revoked_at is null and i.expires_at > coalesce($2::timestamptz, now())) as is_open`;

const FIND_BY_TOKEN = `select ${COLUMNS} from invitation i where i.token_hash = $1`;

const FIND_BY_PIN = `
select ${COLUMNS} from invitation i where i.pin_key = $1 and i.revoked_at is null`;

const FIND_BOUND = `
select ${COLUMNS} from invitation i
where i.id = $1 and i.bound_to = $3 and i.revoked_at is null`;

const FIND_OF_USERNAME = `
select ${COLUMNS} from invitation i join candidate c on c.id = i.candidate_id
where lower(c.telegram_username) = $1
  and i.revoked_at is null and i.expires_at > coalesce($2::timestamptz, now())
order by i.created_at desc, i.id desc limit $3`;

/** A second account waits for the commit of the first and then finds the row bound. */
const BIND = `
update invitation set bound_to = $2
where id = $1 and (bound_to is null or bound_to = $2) returning id`;

/**
 * A personal invitation belongs to one candidate. It ends by its date or because it is issued again.
 * (A vacancy's open link is for anybody and does not end.)
 *
 *   ok ──date──> expired        ok ──issued again──> expired (revoked)
 *
 * Only the hash of its token is stored, so a link is shown once and can only be replaced.
 *
 * On a channel with accounts an invitation is bound to the first account that uses it, so that a
 * forwarded link does not open somebody else's interview. The web page has no accounts, so a link that
 * is opened there is not bound. Opened on both, it leads to the one conversation of its candidate.
 */
export interface Invitation extends CallersFields {
  readonly id: string;
  readonly vacancyId: string;
  readonly candidateId: string;
  readonly expiresAt: Date;
  /** The account that used it first, e.g. `telegram:12345`; null: none has used it. */
  readonly boundTo: string | null;
}

/** What whoever invites knows an invitation by; returned as it was given. */
export interface CallersFields {
  /** One invitation of a vacancy has it that was not revoked. Null: none was given. */
  readonly externalId: string | null;
  readonly metadata: InvitationMetadata;
}

export type InvitationMetadata = Readonly<Record<string, unknown>>;

export interface PersonalInvite {
  readonly state: 'ok' | 'expired';
  readonly kind: 'personal';
  readonly vacancy: Vacancy;
  readonly invitation: Invitation;
}

export type InviteLookup =
  | { readonly state: 'unknown' }
  | PersonalInvite
  | { readonly state: 'ok'; readonly kind: 'open'; readonly vacancy: Vacancy };

interface Row {
  readonly id: string;
  readonly vacancy_id: string;
  readonly candidate_id: string;
  readonly expires_at: Date;
  readonly bound_to: string | null;
  readonly external_id: string | null;
  readonly metadata: InvitationMetadata;
  readonly is_open: boolean;
}

const DEFAULT_VALID_MS = 14 * 24 * 3_600_000;
/** The form of newToken(); any other token is unknown without asking the database. */
const TOKEN = /^[\w-]{16,64}$/;
/** Bounds the look-up by user name; a person is invited to a few vacancies at a time. */
const MAX_OF_USERNAME = 20;

/** SQL, because nearly every statement compares with the database's clock or updates under a condition. */
@Injectable()
export class InvitationRepository {
  constructor(
    private readonly clock: Clock,
    private readonly vacancies: VacancyRepository,
  ) {}

  /** All that were ever issued and whose candidate was not erased. */
  async count(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      'select count(*)::int as count from invitation',
      [],
    );
    return row?.count ?? 0;
  }

  /** The vacancies that a candidate was ever invited to. `candidateId` need not be a UUID. */
  async listVacancyIdsOf(tx: Tx, candidateId: string): Promise<string[]> {
    if (!isUuid(candidateId)) return [];
    const rows = await tx.query<{ id: string }>(
      'select distinct vacancy_id as id from invitation where candidate_id = $1',
      [candidateId],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Issues a personal invitation, valid for 14 days unless `expiresAt` is given. An earlier one of
   * the candidate for the vacancy is revoked: issuing again replaces a lost link, and the new one is
   * not bound; it keeps external id and metadata unless others are given. Throws PinTakenError and
   * ExternalIdTakenError; the transaction is usable then.
   */
  async issue(
    tx: Tx,
    input: {
      vacancyId: string;
      candidateId: string;
      secrets: InvitationSecrets;
      expiresAt?: Date;
      externalId?: string;
      metadata?: InvitationMetadata;
    },
  ): Promise<Invitation> {
    const { vacancyId, candidateId, secrets } = input;
    const now = this.clock.databaseNow();
    await tx.query(REVOKE, [vacancyId, candidateId, now]);
    const id = newId();
    const [row] = await tx.query<Pick<Row, 'expires_at' | 'external_id' | 'metadata'>>(CREATE, [
      id,
      vacancyId,
      candidateId,
      secrets.tokenHash,
      secrets.pinKey,
      input.expiresAt ?? null,
      DEFAULT_VALID_MS,
      now,
      input.externalId ?? null,
      input.metadata === undefined ? null : JSON.stringify(input.metadata),
    ]);
    if (row === undefined) throw await this.conflictOf(tx, input);
    const { expires_at: expiresAt, external_id: externalId, metadata } = row;
    return { id, vacancyId, candidateId, expiresAt, boundTo: null, externalId, metadata };
  }

  /** Those of the external ids that invitations of the vacancy have which were not revoked. */
  async takenExternalIds(
    tx: Tx,
    vacancyId: string,
    externalIds: readonly string[],
  ): Promise<Set<string>> {
    const rows = await tx.query<{ externalId: string }>(TAKEN, [vacancyId, externalIds]);
    return new Set(rows.map(({ externalId }) => externalId));
  }

  /** Without an external id of its own it may have taken over one that another has by now. */
  private async conflictOf(
    tx: Tx,
    of: { vacancyId: string; candidateId: string; externalId?: string },
  ): Promise<Error> {
    const rows = await tx.query(
      `select from invitation other
       where other.vacancy_id = $1 and other.revoked_at is null
         and other.external_id = coalesce($2::text, (select external_id from invitation
           where candidate_id = $3 and vacancy_id = $1 order by created_at desc, id desc limit 1))`,
      [of.vacancyId, of.externalId ?? null, of.candidateId],
    );
    return rows.length > 0
      ? new ExternalIdTakenError()
      : new PinTakenError('another live invitation has this PIN');
  }

  /** Whoever locks it or issues it again waits for the commit. */
  async lock(tx: Tx, id: string): Promise<void> {
    await tx.query('select from invitation where id = $1 for no key update', [id]);
  }

  /** Its link and its PIN work no more after the commit. False: they did not before. */
  async revoke(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.query(
      `update invitation set revoked_at = coalesce($2::timestamptz, clock_timestamp())
       where id = $1 and revoked_at is null returning id`,
      [id, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /**
   * Takes back that the candidate's last invitation to the vacancy was issued again: it is revoked, and the one before
   * opens the interview as before. False: it was not issued again within `withinMs`, somebody has used it, or another
   * invitation has the PIN of the one before by now.
   */
  async restore(
    tx: Tx,
    of: { readonly vacancyId: string; readonly candidateId: string; readonly withinMs: number },
  ): Promise<boolean> {
    const { vacancyId, candidateId, withinMs } = of;
    const [pair] = await tx.query<{ readonly last: string; readonly before: string }>(RESTORABLE, [
      vacancyId,
      candidateId,
      withinMs,
      this.clock.databaseNow(),
    ]);
    if (pair === undefined) return false;
    await this.revoke(tx, pair.last);
    await tx.query('update invitation set revoked_at = null where id = $1', [pair.before]);
    return true;
  }

  /** What a link's token leads to. Reads only. */
  async findByToken(tx: Tx, token: string): Promise<InviteLookup> {
    if (!TOKEN.test(token)) return { state: 'unknown' };
    const [row] = await tx.query<Row>(FIND_BY_TOKEN, [hashToken(token), this.clock.databaseNow()]);
    if (row !== undefined) return (await this.inviteOf(tx, row)) ?? { state: 'unknown' };
    const open = await this.vacancies.findByOpenToken(tx, token);
    return open === null ? { state: 'unknown' } : { state: 'ok', kind: 'open', vacancy: open };
  }

  /**
   * What a PIN leads to, by its key from PinHasher. The PIN of an invitation that was issued again is
   * unknown, because another invitation may have it by now. Reads only.
   */
  async findByPin(tx: Tx, pinKey: string): Promise<PersonalInvite | { readonly state: 'unknown' }> {
    const [row] = await tx.query<Row>(FIND_BY_PIN, [pinKey, this.clock.databaseNow()]);
    const invite = row === undefined ? null : await this.inviteOf(tx, row);
    return invite ?? { state: 'unknown' };
  }

  /**
   * The live invitations of the candidate with this Telegram user name, newest first. The name may
   * have an @ and any case. Reads only.
   */
  async findForUsername(tx: Tx, username: string): Promise<PersonalInvite[]> {
    const name = username.replace(/^@/, '').toLowerCase();
    const now = this.clock.databaseNow();
    const rows = await tx.query<Row>(FIND_OF_USERNAME, [name, now, MAX_OF_USERNAME]);
    const invites: PersonalInvite[] = [];
    for (const row of rows) {
      const invite = await this.inviteOf(tx, row);
      if (invite !== null) invites.push(invite);
    }
    return invites;
  }

  /**
   * Binds the invitation to the account unless it is bound to another. Of two accounts at once one
   * gets it; binding again to the same account returns `bound`.
   */
  async bind(tx: Tx, invitationId: string, account: string): Promise<'bound' | 'taken'> {
    const rows = await tx.query(BIND, [invitationId, account]);
    return rows.length > 0 ? 'bound' : 'taken';
  }

  /** An invitation bound to this account, unless it was issued again. Reads only. */
  async findBound(tx: Tx, invitationId: string, account: string): Promise<PersonalInvite | null> {
    const given = [invitationId, this.clock.databaseNow(), account];
    const [row] = await tx.query<Row>(FIND_BOUND, given);
    return row === undefined ? null : this.inviteOf(tx, row);
  }

  /** Whether an open invitation of this candidate for the vacancy is bound to the account. Reads only. */
  async isBound(
    tx: Tx,
    account: string,
    of: { candidateId: string; vacancyId: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `select from invitation where bound_to = $1 and candidate_id = $2 and vacancy_id = $3
         and revoked_at is null and expires_at > coalesce($4::timestamptz, now()) limit 1`,
      [account, of.candidateId, of.vacancyId, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** Unbinds the account's invitations: those of this candidate, or all of them. */
  async release(tx: Tx, account: string, candidateId: string | null = null): Promise<void> {
    await tx.query(
      `update invitation set bound_to = null
       where bound_to = $1 and ($2::uuid is null or candidate_id = $2)`,
      [account, candidateId],
    );
  }

  private async inviteOf(tx: Tx, row: Row): Promise<PersonalInvite | null> {
    const vacancy = await this.vacancies.find(tx, row.vacancy_id);
    if (vacancy === null) return null;
    const invitation = {
      id: row.id,
      vacancyId: row.vacancy_id,
      candidateId: row.candidate_id,
      expiresAt: row.expires_at,
      boundTo: row.bound_to,
      externalId: row.external_id,
      metadata: row.metadata,
    };
    return { state: row.is_open ? 'ok' : 'expired', kind: 'personal', vacancy, invitation };
  }

  /** The external id and the metadata of the candidate's last invitation to the vacancy. */
  async callersFieldsOf(
    tx: Tx,
    of: { readonly candidateId: string; readonly vacancyId: string },
  ): Promise<CallersFields> {
    const [row] = await tx.query<CallersFields>(
      `select external_id as "externalId", metadata from invitation
       where candidate_id = $1 and vacancy_id = $2 order by created_at desc, id desc limit 1`,
      [of.candidateId, of.vacancyId],
    );
    return row ?? { externalId: null, metadata: {} };
  }

  /** The last invitation of each candidate of the vacancy, the newest first. */
  listOfVacancy(tx: Tx, vacancyId: string, limit: number): Promise<InvitedCandidate[]> {
    return tx.query(
      `select * from (
         select distinct on (candidate_id) candidate_id as "candidateId", created_at as "invitedAt",
           expires_at as "expiresAt", external_id as "externalId", metadata
         from invitation where vacancy_id = $1 order by candidate_id, created_at desc) last
       order by "invitedAt" desc limit $2`,
      [vacancyId, limit],
    );
  }
}

/** Who was invited, and when. */
export interface InvitedCandidate extends CallersFields {
  readonly candidateId: string;
  readonly invitedAt: Date;
  readonly expiresAt: Date;
}

const SALT_NAME = 'pin_salt';

/**
 * The salt of all PINs of the deployment (`deployment_secret`), made at first use. When several
 * replicas make it at once, one is stored and all of them read that one.
 */
export async function saltOfDeployment(tx: Tx): Promise<string> {
  await tx.query(
    `insert into deployment_secret (name, value) values ($1, $2) on conflict (name) do nothing`,
    [SALT_NAME, newToken()],
  );
  const [row] = await tx.query<{ value: string }>(
    'select value from deployment_secret where name = $1',
    [SALT_NAME],
  );
  if (row === undefined) throw new Error(`the secret "${SALT_NAME}" was stored and is not there`);
  return row.value;
}
