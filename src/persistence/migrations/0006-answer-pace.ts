import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

const FUNCTIONS = ['answer_pace', 'buffer_long_answer', 'buffer_append', 'buffer_activity'];

/** Learns the quiet time of each candidate, and notes which long answers were told that they are read. */
export class AnswerPace1764000000054 implements MigrationInterface {
  readonly name = 'AnswerPace1764000000054';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0006-answer-pace.sql'));
    for (const name of FUNCTIONS) await queryRunner.query(sqlFile(`functions/${name}.sql`));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
