import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

const FUNCTIONS = ['answer_pace', 'buffer_append', 'buffer_activity'];

/** The quiet time and the pauses are computed by expressions: each append computes them. */
export class AnswerPaceInlined1764000000056 implements MigrationInterface {
  readonly name = 'AnswerPaceInlined1764000000056';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const name of FUNCTIONS) await queryRunner.query(sqlFile(`functions/${name}.sql`));
    // A database that was created later never had it.
    await queryRunner.query(
      'drop function if exists add_gap(int, double precision, double precision, double precision)',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
