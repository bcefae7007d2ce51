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
  'candidate.export': true;
  'candidate.erase': true;
  'candidate.hold': true;
  'candidate.release': true;
  'reply.replay': true;
  'attention.reply': true;
  'attention.return': true;
  'invitation.import': true;
  'invitation.links': true;
  'vacancy.close': true;
  'vacancy.reopen': true;
}

export interface AuditEvent {
  /** The name of an admin token, `command line`, `candidate`, or `retention`. */
  readonly actor: string;
  readonly action: keyof AuditActions;
  /** The id of the conversation, the candidate, the vacancy or the import of invitations. */
  readonly subjectId: string;
}

/**
 * Who read an interview, asked a model about it again, wrote in it or returned it, who exported or
 * erased a person's data, and who closed a vacancy or opened it again (`audit_event`). Rows outlive the
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
      [this.clock.databaseNow(), actor, action, hashToken(subjectId.toLowerCase())],
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
