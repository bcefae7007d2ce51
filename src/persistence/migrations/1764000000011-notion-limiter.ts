import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When Notion may be called, and was: one row for all replicas. */
export class NotionLimiter1764000000011 implements MigrationInterface {
  readonly name = 'NotionLimiter1764000000011';

  async up(queryRunner: QueryRunner): Promise<void> {
    // grants: the last starts that were given away, newest first; some lie ahead.
    // rate: the share of the allowed rate at `recovers_from`; it grows from then on.
    await queryRunner.query(`
      create table notion_limiter (
        id boolean primary key default true check (id),
        grants timestamptz[] not null default '{}',
        paused_until timestamptz,
        rate float8 not null default 1 check (rate > 0 and rate <= 1),
        recovers_from timestamptz,
        limited_at timestamptz
      ) with (fillfactor = 50)`);
    await queryRunner.query(`insert into notion_limiter default values`);
    await queryRunner.query(RATE);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** After each second without another 429 a hundredth of the full rate comes back. */
const RATE = `
create function notion_rate(rate float8, recovers_from timestamptz, now timestamptz)
returns float8 language sql stable parallel safe as $$
  select least(1, rate + 0.01 *
    greatest(0, coalesce(extract(epoch from now - recovers_from)::float8, 0)))
$$`;
