import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

const FUNCTIONS = ['buffer_append', 'buffer_join'];

/** Stores the trace of a job with it. */
export class Traces1764000000059 implements MigrationInterface {
  readonly name = 'Traces1764000000059';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0011-traces.sql'));
    for (const name of FUNCTIONS) await queryRunner.query(sqlFile(`functions/${name}.sql`));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
