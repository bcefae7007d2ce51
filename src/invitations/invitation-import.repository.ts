import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { FileRow } from './file/invitation-file';
import type { RowProblem } from './file/problems';
import type { GivenInvitation } from './file/row-check';

/**
 * `$…::timestamptz` in the statements is the time of tests, null in production.
 *
 * A file of invitations and its rows. `settled_to` only grows: a row up to it has its fate for good.
 *
 *   waiting ──stored──> created
 *   waiting ──closed vacancy, taken external id, failure──> refused        refused by the file itself
 *
 * A row keeps what the file says of a person only while it waits.
 */
export interface InvitationImport {
  readonly id: string;
  readonly vacancyId: string;
  readonly slug: string;
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  /** Every row up to this number has its fate. */
  readonly settledTo: number;
  readonly sealingKey: Buffer;
  readonly createdAt: Date;
  /** Null: rows wait. */
  readonly finishedAt: Date | null;
}

const FIND = `
select i.id, i.vacancy_id as "vacancyId", v.slug, i.row_count as rows, i.created, i.refused,
  i.settled_to as "settledTo", i.sealing_key as "sealingKey", i.created_at as "createdAt",
  i.finished_at as "finishedAt"
from invitation_import i join vacancy v on v.id = i.vacancy_id where i.id = $1`;

/** Without a row that waits, the import is finished at once. */
const CREATE = `
insert into invitation_import (id, vacancy_id, row_count, refused, sealing_key, settled_to, created_at,
  finished_at)
select $1::uuid, $2::uuid, $3::int, $4::int, $5::bytea,
  case when $3::int = $4::int then $3::int else 0 end, at,
  case when $3::int = $4::int then at end
from (select coalesce($6::timestamptz, clock_timestamp()) as at) as now`;

const ADD_ROWS = `
insert into invitation_import_row (import_id, n, line, external_id, given, problems)
select $1::uuid, r.n, r.line, r.external_id, r.given, r.problems
from jsonb_to_recordset($2::jsonb)
  as r(n int, line int, external_id text, given jsonb, problems jsonb)`;

const NEXT = `
select n, external_id as "externalId", given from invitation_import_row
where import_id = $1 and n > $2 and given is not null order by n limit $3`;

const SETTLE_ROWS = `
update invitation_import_row r
set given = null, candidate_id = s.candidate_id, invitation_id = s.invitation_id,
  links = decode(s.links, 'base64'), problems = s.problems::jsonb
from unnest($2::int[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
  as s(n, candidate_id, invitation_id, links, problems)
where r.import_id = $1 and r.n = s.n`;

const COUNT = `
update invitation_import
set created = created + $2, refused = refused + $3,
  settled_to = case when $5 then row_count else $4 end,
  finished_at = case when $5 then coalesce($6::timestamptz, clock_timestamp()) end
where id = $1`;

const REFUSE_REST = `
with rest as (
  update invitation_import_row set given = null, problems = $2::jsonb
  where import_id = $1 and given is not null returning n)
update invitation_import
set refused = refused + (select count(*)::int from rest), settled_to = row_count,
  finished_at = coalesce($3::timestamptz, clock_timestamp())
where id = $1`;

const ROWS = `
select n, line, external_id as "externalId", candidate_id as "candidateId",
  invitation_id as "invitationId", problems, links,
  case when invitation_id is not null then 'created'
    when problems is not null then 'refused' else 'waiting' end as state
from invitation_import_row
where import_id = $1 and n > $2 and n <= $3
  and ($4::text is null
    or $4 = 'created' and invitation_id is not null
    or $4 = 'refused' and problems is not null
    or $4 = 'waiting' and given is not null)
order by n limit $5`;

const DELETE_OLD = `
delete from invitation_import where id in (
  select id from invitation_import
  where created_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '24 hours'
  order by created_at limit $3 for update skip locked)
returning id`;

/** Rows in one statement, so that it stays far below the time limit of statements. */
const ROWS_AT_A_TIME = 1000;

/** SQL, because many rows change in one statement. */
@Injectable()
export class InvitationImportRepository {
  constructor(private readonly clock: Clock) {}

  async create(
    tx: Tx,
    of: {
      readonly id: string;
      readonly vacancyId: string;
      readonly sealingKey: Buffer;
      readonly rows: readonly FileRow[];
    },
  ): Promise<void> {
    const { id, rows } = of;
    const refused = rows.filter(({ given }) => given === null).length;
    const now = this.clock.databaseNow();
    await tx.query(CREATE, [id, of.vacancyId, rows.length, refused, of.sealingKey, now]);
    for (let at = 0; at < rows.length; at += ROWS_AT_A_TIME) {
      const part = rows.slice(at, at + ROWS_AT_A_TIME).map((row) => ({
        n: row.n,
        line: row.line,
        external_id: row.externalId,
        given: row.given,
        problems: row.given === null ? row.problems : null,
      }));
      await tx.query(ADD_ROWS, [id, JSON.stringify(part)]);
    }
  }

  async find(tx: Tx, id: string): Promise<InvitationImport | null> {
    const [row] = await tx.query<InvitationImport>(FIND, [id]);
    return row ?? null;
  }

  /** The next rows that wait, in their order. */
  next(
    tx: Tx,
    { id, settledTo }: Pick<InvitationImport, 'id' | 'settledTo'>,
    limit: number,
  ): Promise<WaitingRow[]> {
    return tx.query<WaitingRow>(NEXT, [id, settledTo, limit]);
  }

  /** Stores the fates of the next rows. `isLast`: no row waits after them. */
  async settle(
    tx: Tx,
    id: string,
    { rows, isLast }: { readonly rows: readonly SettledRow[]; readonly isLast: boolean },
  ): Promise<void> {
    await tx.query(SETTLE_ROWS, [
      id,
      rows.map(({ n }) => n),
      rows.map((row) => ('problems' in row ? null : row.candidateId)),
      rows.map((row) => ('problems' in row ? null : row.invitationId)),
      rows.map((row) => ('problems' in row ? null : row.links.toString('base64'))),
      rows.map((row) => ('problems' in row ? JSON.stringify(row.problems) : null)),
    ]);
    const refused = rows.filter((row) => 'problems' in row).length;
    const last = rows.at(-1)?.n ?? 0;
    const now = this.clock.databaseNow();
    await tx.query(COUNT, [id, rows.length - refused, refused, last, isLast, now]);
  }

  /** Refuses every row that still waits, for one reason, and finishes the import. */
  async refuseRest(tx: Tx, id: string, problem: RowProblem): Promise<void> {
    await tx.query(REFUSE_REST, [id, JSON.stringify([problem]), this.clock.databaseNow()]);
  }

  /** How many rows were refused for this reason. */
  async countRefused(tx: Tx, id: string, { code }: RowProblem): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from invitation_import_row
       where import_id = $1 and problems @> $2::jsonb`,
      [id, JSON.stringify([{ code }])],
    );
    return row?.count ?? 0;
  }

  /** In the order of the file, after row `after` and up to row `upTo`. */
  rows(tx: Tx, id: string, of: RowsWanted): Promise<ImportedRow[]> {
    return tx.query<ImportedRow>(ROWS, [id, of.after, of.upTo, of.state ?? null, of.limit]);
  }

  /** Deletes the oldest imports older than `keptDays`, with their rows; returns how many. */
  async deleteOld(
    tx: Tx,
    { keptDays, limit }: { readonly keptDays: number; readonly limit: number },
  ): Promise<number> {
    const rows = await tx.query(DELETE_OLD, [this.clock.databaseNow(), keptDays, limit]);
    return rows.length;
  }
}

/** A row that is to be stored. */
export interface WaitingRow {
  readonly n: number;
  readonly externalId: string | null;
  readonly given: GivenInvitation;
}

/** What became of a row. */
export type SettledRow = { readonly n: number } & (
  | { readonly candidateId: string; readonly invitationId: string; readonly links: Buffer }
  | { readonly problems: readonly RowProblem[] }
);

export const ROW_STATES = ['waiting', 'created', 'refused'] as const;

export type RowState = (typeof ROW_STATES)[number];

export interface RowsWanted {
  readonly after: number;
  readonly upTo: number;
  readonly state?: RowState | undefined;
  readonly limit: number;
}

export interface ImportedRow {
  readonly n: number;
  /** Where the row begins in a CSV file; null for JSON. */
  readonly line: number | null;
  readonly state: RowState;
  readonly externalId: string | null;
  readonly candidateId: string | null;
  readonly invitationId: string | null;
  readonly problems: readonly RowProblem[] | null;
  /** Sealed; null: the row has none. */
  readonly links: Buffer | null;
}
