import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sends that may have arrived, outages of a channel, and texts that were split. An outage is counted in milliseconds per
 * channel, so that a pause which began before it can go on where it stopped.
 */
export class UnconfirmedSends1764000000023 implements MigrationInterface {
  readonly name = 'UnconfirmedSends1764000000023';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table channel_limiter
        add column outage_no bigint not null default 0,
        add column outage_since timestamptz,
        add column outage_ms float8 not null default 0`);
    await queryRunner.query(`
      alter table delivery
        add column server_errors int not null default 0,
        add column outage_ms float8`);
    await queryRunner.query(`
      alter table delivery_attempt add column unconfirmed boolean not null default false`);
    await queryRunner.query(`
      alter table telegram_answer
        add column unknowns int not null default 0,
        add column server_errors int not null default 0,
        add column due_at timestamptz,
        add column outage_ms float8,
        add column given_up_at timestamptz`);
    // A text that the client split: what joins its parts, and the last one that may have a second.
    await queryRunner.query(`alter table message add column joiner text`);
    await queryRunner.query(`alter table telegram_account add column long_text jsonb`);
    // The words of a vacancy search are not kept beyond the search.
    await queryRunner.query(`
      update telegram_account set dialog = '{"kind": "search", "isDone": true}'
      where dialog ->> 'kind' = 'search' and dialog ? 'query'`);
    await queryRunner.query(`
      update conversation set metadata = metadata - 'searchQuery'
      where metadata ->> 'identifiedBy' = 'search' and metadata ? 'searchQuery'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
