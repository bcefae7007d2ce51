import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Lets a file say that its bytes were deleted by their time. */
export class DeletedFiles1764000000063 implements MigrationInterface {
  readonly name = 'DeletedFiles1764000000063';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0015-deleted-files.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
