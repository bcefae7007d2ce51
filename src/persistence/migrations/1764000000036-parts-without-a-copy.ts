import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A part that is the whole message as it stands there needs no copy of it: `text` null. */
export class PartsWithoutACopy1764000000036 implements MigrationInterface {
  readonly name = 'PartsWithoutACopy1764000000036';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table delivery drop constraint delivery_text`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
