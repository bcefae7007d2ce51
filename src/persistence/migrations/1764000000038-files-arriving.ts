import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Readers of a conversation are told how many of its files are still on their way. */
export class FilesArriving1764000000038 implements MigrationInterface {
  readonly name = 'FilesArriving1764000000038';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index file_announced on file (message_id) where state = 'announced'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
