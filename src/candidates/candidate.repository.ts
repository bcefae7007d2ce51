import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';

/** A person who is interviewed: what they or a recruiter have entered about them. */
export interface Candidate {
  readonly id: string;
  readonly name: string | null;
  /** One way to reach them, as they wrote it: a phone number, an address, a handle. */
  readonly contact: string | null;
  /** Without the @, in lower case. */
  readonly telegramUsername: string | null;
}

interface Row {
  readonly id: string;
  readonly name: string | null;
  readonly contact: string | null;
  readonly telegram_username: string | null;
}

const COLUMNS = 'id, name, contact, telegram_username';

/**
 * Personal data of candidates, which never goes to logs, metrics or error messages. SQL, because its
 * updates fill in only what is missing and compare with other tables.
 */
@Injectable()
export class CandidateRepository {
  constructor(private readonly clock: Clock) {}

  /** A new person. The interview asks for what is not known yet. */
  async create(
    tx: Tx,
    known: { name?: string; contact?: string; telegramUsername?: string } = {},
  ): Promise<Candidate> {
    const candidate: Candidate = {
      id: newId(),
      name: known.name ?? null,
      contact: known.contact ?? null,
      telegramUsername: known.telegramUsername ?? null,
    };
    await tx.query(
      `insert into candidate (${COLUMNS}, created_at)
       values ($1, $2, $3, $4, coalesce($5::timestamptz, clock_timestamp()))`,
      [
        candidate.id,
        candidate.name,
        candidate.contact,
        candidate.telegramUsername,
        this.clock.databaseNow(),
      ],
    );
    return candidate;
  }

  /** Whether the person came by a vacancy's open link, without an invitation. */
  async isVisitor(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.query('select 1 from invitation where candidate_id = $1 limit 1', [id]);
    return rows.length === 0;
  }

  /** Deletes the person if no conversation and no invitation is theirs. Locks the row first. */
  async deleteUnused(tx: Tx, id: string): Promise<void> {
    await tx.query('select 1 from candidate where id = $1 for update', [id]);
    await tx.query(
      `delete from candidate where id = $1
         and not exists (select from conversation where candidate_id = $1)
         and not exists (select from invitation where candidate_id = $1)`,
      [id],
    );
  }

  /** Sets what is given and leaves the rest. Null for an unknown id. */
  async update(
    tx: Tx,
    id: string,
    changes: { name?: string; contact?: string },
  ): Promise<Candidate | null> {
    const [row] = await tx.query<Row>(
      `update candidate set name = coalesce($2, name), contact = coalesce($3, contact)
       where id = $1 returning ${COLUMNS}`,
      [id, changes.name ?? null, changes.contact ?? null],
    );
    return row === undefined ? null : candidateOf(row);
  }

  /** Sets what is not known yet and leaves the rest. Null for an unknown id. */
  async fillIn(
    tx: Tx,
    id: string,
    known: { name?: string; contact?: string; telegramUsername?: string },
  ): Promise<Candidate | null> {
    const [row] = await tx.query<Row>(
      `update candidate set name = coalesce(name, $2), contact = coalesce(contact, $3),
         telegram_username = coalesce(telegram_username, $4)
       where id = $1 returning ${COLUMNS}`,
      [id, known.name ?? null, known.contact ?? null, known.telegramUsername ?? null],
    );
    return row === undefined ? null : candidateOf(row);
  }

  async find(tx: Tx, id: string): Promise<Candidate | null> {
    const [row] = await tx.query<Row>(`select ${COLUMNS} from candidate where id = $1`, [id]);
    return row === undefined ? null : candidateOf(row);
  }
}

/**
 * SQL that finds the candidates with words of a name. `query`: the place of a query of the text search, as
 * `wordPrefixes` makes it. In the words of the index candidate_name.
 */
export function withNameSql(query: string): string {
  return `select id from candidate
    where to_tsvector('simple', translate(coalesce(name, ''), 'ёЁ', 'еЕ')) @@ to_tsquery('simple', ${query})`;
}

/**
 * SQL that finds the candidates whom somebody looks for. `texts`: the place of an array of an external id of an
 * invitation and of a query as in `withNameSql`.
 */
export function soughtSql(texts: string): string {
  return `select candidate_id from invitation where external_id = ${texts}[1]
    union ${withNameSql(`${texts}[2]`)}`;
}

/**
 * A condition in SQL: one of these vacancies knows the candidate, which indexes find, and no other one does.
 * `candidateId`: a column; `vacancyIds`: the place of an array.
 */
export function knownToNoneButSql(candidateId: string, vacancyIds: string): string {
  return `${candidateId} in (
    select candidate_id from conversation where vacancy_id = any(${vacancyIds}::uuid[])
    union select candidate_id from invitation where vacancy_id = any(${vacancyIds}::uuid[]))
  and not exists (select from conversation
    where candidate_id = ${candidateId} and vacancy_id <> all(${vacancyIds}::uuid[]))
  and not exists (select from invitation
    where candidate_id = ${candidateId} and vacancy_id <> all(${vacancyIds}::uuid[]))`;
}

function candidateOf(row: Row): Candidate {
  return {
    id: row.id,
    name: row.name,
    contact: row.contact,
    telegramUsername: row.telegram_username,
  };
}
