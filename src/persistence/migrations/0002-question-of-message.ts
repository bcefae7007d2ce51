import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where the question of the plan begins in what the interviewer said, in UTF-16 units. The question's id is
 * in `question_context`, as it is for the candidate's answers. Earlier lines have no mark.
 */
export class QuestionOfMessage1764000000050 implements MigrationInterface {
  readonly name = 'QuestionOfMessage1764000000050';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table message add column question_at int');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
