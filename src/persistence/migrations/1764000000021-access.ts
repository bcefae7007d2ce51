import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may read what, and until when: sessions that end. */
export class Access1764000000021 implements MigrationInterface {
  readonly name = 'Access1764000000021';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Sessions of earlier releases count as used now: nobody loses one by the update itself.
    await queryRunner.query(
      `alter table web_session add column seen_at timestamptz not null default now()`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
