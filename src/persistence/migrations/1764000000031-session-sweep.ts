import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the rows of expired sessions, which a sweep deletes in batches. */
export class SessionSweep1764000000031 implements MigrationInterface {
  readonly name = 'SessionSweep1764000000031';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index web_session_seen on web_session (seen_at)');
    await queryRunner.query('create index web_session_created on web_session (created_at)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
