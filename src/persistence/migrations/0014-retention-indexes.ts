import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Lets the hourly retention find old candidates and old recordings without reading all messages. */
export class RetentionIndexes1764000000062 implements MigrationInterface {
  readonly name = 'RetentionIndexes1764000000062';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0014-retention-indexes.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
