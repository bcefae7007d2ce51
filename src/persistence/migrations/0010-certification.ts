import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores people's ratings, certifications of rubrics, and results of the fairness runs. */
export class Certification1764000000058 implements MigrationInterface {
  readonly name = 'Certification1764000000058';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0010-certification.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
