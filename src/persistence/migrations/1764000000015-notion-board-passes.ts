import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose board may be ranked past the brake, and until when. */
export class NotionBoardPasses1764000000015 implements MigrationInterface {
  readonly name = 'NotionBoardPasses1764000000015';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table notion_board_pass (
        user_id text primary key,
        expires_at timestamptz not null
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
