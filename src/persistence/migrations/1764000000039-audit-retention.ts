import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the old audit rows, which a sweep deletes in batches. */
export class AuditRetention1764000000039 implements MigrationInterface {
  readonly name = 'AuditRetention1764000000039';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index audit_event_at on audit_event (at)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
