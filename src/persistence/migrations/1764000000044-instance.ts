import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the running application is reached, so that commands make the same links. One row. */
export class Instance1764000000044 implements MigrationInterface {
  readonly name = 'Instance1764000000044';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table instance (
        is_only boolean primary key default true check (is_only),
        public_url text not null,
        bot_name text,
        updated_at timestamptz not null
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
