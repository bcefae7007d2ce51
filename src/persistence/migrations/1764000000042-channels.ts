import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The program knows its channels (ChannelRegistry), so adding one changes no table. */
export class Channels1764000000042 implements MigrationInterface {
  readonly name = 'Channels1764000000042';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['continuation', 'conversation', 'message']) {
      await queryRunner.query(`alter table ${table} drop constraint ${table}_channel_check`);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
