import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may read what, and until when: sessions that end, who did, and who may enrol. */
export class Access1764000000021 implements MigrationInterface {
  readonly name = 'Access1764000000021';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Sessions of earlier releases count as used now: nobody loses one by the update itself.
    await queryRunner.query(
      `alter table web_session add column seen_at timestamptz not null default now()`,
    );
    await queryRunner.query(AUDIT);
    await queryRunner.query(`alter table notion_enrolment add column nonce_hash text`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** A hash of an id and no reference: the row outlives whom it is about. */
const AUDIT = `
create table audit_event (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject_hash text not null
);
create index audit_event_subject on audit_event (subject_hash, id);
`;
