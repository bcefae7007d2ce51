import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which jobs run one at a time in the cluster is said by the row, not by its queue's name. */
export class SingleJobs1764000000041 implements MigrationInterface {
  readonly name = 'SingleJobs1764000000041';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table job add column single boolean not null default false`);
    await queryRunner.query(
      `update job set single = true where queue = 'notion-sync' and state = 'running'`,
    );
    await queryRunner.query(`drop index job_single_running`);
    await queryRunner.query(
      `create unique index job_single_running on job (queue) where state = 'running' and single`,
    );
    await queryRunner.query(
      `comment on column job.single is 'its claim allowed one running job of the queue in the cluster'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
