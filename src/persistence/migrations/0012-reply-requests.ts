import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores what a model was asked for each reply and what it wrote, so that it can be asked again. */
export class ReplyRequests1764000000060 implements MigrationInterface {
  readonly name = 'ReplyRequests1764000000060';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0012-reply-requests.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
