import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores accent colours and logos of vacancies. */
export class VacancyBrand1764000000051 implements MigrationInterface {
  readonly name = 'VacancyBrand1764000000051';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0003-vacancy-brand.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
