import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores rubrics, scores with their samples, decisions, and the chain of decision files. */
export class Scoring1764000000055 implements MigrationInterface {
  readonly name = 'Scoring1764000000055';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0007-scoring.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
