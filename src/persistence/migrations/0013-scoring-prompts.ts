import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores the texts of the prompts that scores were asked with. */
export class ScoringPrompts1764000000061 implements MigrationInterface {
  readonly name = 'ScoringPrompts1764000000061';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0013-scoring-prompts.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
