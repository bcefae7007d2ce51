import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How exactly each start of `notion_limiter.grants` is timed. `timescales` and `blurs_ms` have the
 * same order as `grants` and may be shorter: what is missing is exact.
 */
export class NotionLimiterClocks1764000000024 implements MigrationInterface {
  readonly name = 'NotionLimiterClocks1764000000024';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table notion_limiter
        add column timescales text[] not null default '{}',
        add column blurs_ms float8[] not null default '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
