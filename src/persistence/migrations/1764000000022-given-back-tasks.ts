import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How often, and since when, a task is given back because its peer fails, and when it failed last:
 * one that fails alone is told from an outage, and a person learns of one that waits for long.
 */
export class GivenBackTasks1764000000022 implements MigrationInterface {
  readonly name = 'GivenBackTasks1764000000022';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table task
        add column given_back int not null default 0,
        add column given_back_since timestamptz,
        add column failed_at timestamptz`);
    await queryRunner.query(`
      create index task_given_back on task (given_back_since)
      where given_back_since is not null and state in ('open', 'running', 'retry')`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
