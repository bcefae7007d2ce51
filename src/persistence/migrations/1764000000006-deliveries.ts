import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the lane `deliver` keeps of a part and of a channel. */
export class Deliveries1764000000006 implements MigrationInterface {
  readonly name = 'Deliveries1764000000006';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Until when a channel sends nothing, for all replicas (429 is per bot).
    await queryRunner.query(
      `create table channel_limiter (channel text primary key, paused_until timestamptz not null)`,
    );
    // A claim's number alone does not name it: a chat has a new task for each batch of parts.
    await queryRunner.query(`
      alter table delivery
        drop column claim_no,
        add column claimed_by text,
        add column unknowns int not null default 0`);
    await queryRunner.query(`alter table delivery_attempt add column external_id text`);
    await queryRunner.query(
      `create index delivery_dead on delivery (conversation_id, id) where state = 'dead'`,
    );
    await queryRunner.query(
      `create index delivery_dead_chat on delivery (chat) where state = 'dead'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
