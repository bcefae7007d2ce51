import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { hashToken } from '../common/ids';
import type { Tx } from '../common/uow';

/** What is audited; a room above adds its own by declaration, as channels do with their names. */
export interface AuditActions {
  'transcript.read': true;
  'transcript.watch': true;
  'recording.list': true;
  'recording.read': true;
  'file.list': true;
  'file.read': true;
  'audit.export': true;
  'candidate.read': true;
  'candidate.export': true;
  'candidate.erase': true;
  'candidate.hold': true;
  'candidate.release': true;
  'comment.delete': true;
  'comment.edit': true;
  'comment.read': true;
  'comment.write': true;
  'decision.export': true;
  'decision.read': true;
  'decision.write': true;
  'rating.read': true;
  'rating.write': true;
  'scorecard.read': true;
  'reply.replay': true;
  'attention.claim': true;
  'attention.close': true;
  'attention.release': true;
  'attention.replay': true;
  'attention.reply': true;
  'attention.return': true;
  'interview.close': true;
  'attention.take_over': true;
  'interview.read': true;
  'interview.reopen': true;
  'interview.export': true;
  'invitation.create': true;
  'invitation.import': true;
  'invitation.links': true;
  'invitation.reissue': true;
  'invitation.restore': true;
  'invitation.revoke': true;
  'key.create': true;
  'key.revoke': true;
  'reminder.cancel': true;
  'reminder.request': true;
  'retention.run': true;
  'session.end': true;
  'user.sign_in': true;
  'user.sign_out': true;
  'user.create': true;
  'user.invite': true;
  'user.uninvite': true;
  'user.change': true;
  'user.disable': true;
  'user.enable': true;
  'user.password': true;
  'vacancy.close': true;
  'vacancy.create': true;
  'vacancy.document': true;
  'vacancy.logo': true;
  'vacancy.preview': true;
  'vacancy.reopen': true;
  'vacancy.replace': true;
}

export interface AuditEvent {
  /** `user` or `key` with its name, the name of an admin token, `command line`, `candidate`, or `retention`. */
  readonly actor: string;
  readonly action: keyof AuditActions;
  /**
   * The id of the conversation, the candidate, the vacancy, the key, the user, the link of an invited colleague,
   * the attention item, or the import of invitations; `audit` and `retention`, of which there is one each.
   */
  readonly subjectId: string;
}

/** A row of the audit. */
export interface NotedEvent {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  /** SHA-256 of the subject's id in lower case, as hex. */
  readonly subjectHash: string;
}

/** Which rows are meant; what is left out does not matter. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subjectId?: string | undefined;
  /** From this time on, and before that one. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export const MAX_AUDIT_PAGE = 1000;

/**
 * Who read an interview, asked a model about it again, wrote in it or returned it, who exported or
 * erased a person's data, who closed a vacancy or opened it again, worked on an attention item, made a key
 * or revoked it (`audit_event`). Rows outlive the
 * person, so they hold a hash of the id: with the id its
 * rows are found, but no row leads to an id.
 */
@Injectable()
export class AuditRepository {
  constructor(private readonly clock: Clock) {}

  /** Written in the same commit as what it records. */
  async note(tx: Tx, { actor, action, subjectId }: AuditEvent): Promise<void> {
    await tx.query(
      `insert into audit_event (at, actor, action, subject_hash)
       values (coalesce($1::timestamptz, clock_timestamp()), $2, $3, $4)`,
      [this.clock.databaseNow(), actor, action, hashOf(subjectId)],
    );
  }

  /** One row for each subject. */
  async noteAll(
    tx: Tx,
    { actor, action }: Omit<AuditEvent, 'subjectId'>,
    subjectIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `insert into audit_event (at, actor, action, subject_hash)
       select coalesce($1::timestamptz, clock_timestamp()), $2, $3, unnest($4::text[])`,
      [this.clock.databaseNow(), actor, action, subjectIds.map(hashOf)],
    );
  }

  /**
   * The same for what a page shows again and again by itself: nothing is noted of a subject of which the same
   * was noted within the last hour.
   */
  async noteHourly(
    tx: Tx,
    { actor, action }: Omit<AuditEvent, 'subjectId'>,
    subjectIds: readonly string[],
  ): Promise<void> {
    await tx.query(
      `insert into audit_event (at, actor, action, subject_hash)
       select coalesce($1::timestamptz, clock_timestamp()), $2, $3, s.hash
       from unnest($4::text[]) as s (hash)
       where not exists (
         select from audit_event e where e.subject_hash = s.hash and e.actor = $2 and e.action = $3
           and e.at > coalesce($1::timestamptz, now()) - interval '1 hour')`,
      [this.clock.databaseNow(), actor, action, subjectIds.map(hashOf)],
    );
  }

  /**
   * The newest rows first, at most 1,000; `beforeId`: those that are older than this one. The statement has
   * only the conditions that are asked for, so that an index serves it: by id, by actor, by subject, or by time.
   */
  async list(
    tx: Tx,
    filter: AuditFilter,
    { beforeId, limit }: { readonly beforeId?: string | undefined; readonly limit: number },
  ): Promise<NotedEvent[]> {
    const { actor, action, subjectId, since, until } = filter;
    const subjectHash = subjectId === undefined ? undefined : hashOf(subjectId);
    const conditions = [
      ['id <', beforeId],
      ['actor =', actor],
      ['action =', action],
      ['subject_hash =', subjectHash],
      ['at >=', since],
      ['at <', until],
    ] as const;
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.map(([condition], n) => `${condition} $${String(n + 2)}`).join(' and ');
    return tx.query<NotedEvent>(
      `select id, at, actor, action, subject_hash as "subjectHash" from audit_event
       ${where === '' ? '' : `where ${where}`} order by id desc limit $1`,
      [Math.min(limit, MAX_AUDIT_PAGE), ...given.map(([, value]) => value)],
    );
  }

  /**
   * Deletes the oldest rows older than `keptDays`, at most `limit`; returns how many. `now()` and not
   * `clock_timestamp()`, with which no index could be used.
   */
  async deleteOld(
    tx: Tx,
    { keptDays, limit }: { readonly keptDays: number; readonly limit: number },
  ): Promise<number> {
    const rows = await tx.query<unknown>(
      `with old as (
         select id from audit_event
         where at < coalesce($1::timestamptz, now()) - $2::float8 * interval '24 hours'
         order by at limit $3 for update skip locked),
       gone as (delete from audit_event where id in (select id from old) returning id)
       select id from gone`,
      [this.clock.databaseNow(), keptDays, limit],
    );
    return rows.length;
  }
}

/** Ids are lower case; in upper case they name the same. */
function hashOf(subjectId: string): string {
  return hashToken(subjectId.toLowerCase());
}
