import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What happens in a conversation beside what is said: an agent takes over from another, a tool is
 * called and answers. Rows of the transcript of their own kind, numbered with the rest.
 */
export class AgentsAndTools1764000000005 implements MigrationInterface {
  readonly name = 'AgentsAndTools1764000000005';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table message
        drop constraint message_role_check,
        add column event jsonb,
        add constraint message_role_check check (role in ('user', 'assistant', 'system', 'event')),
        add constraint message_event_check check ((role = 'event') = (event is not null))`);
    await queryRunner.query(
      `create index message_turn_event on message (turn_id, seq) where role = 'event'`,
    );
    // Who spoke last, and who begins each reply.
    await queryRunner.query(
      `alter table conversation add column agent text not null default 'greeter'`,
    );
    await queryRunner.query('alter table turn add column agent text');
    // Within the answer's tool loop: one more than the calls that were answered before.
    await queryRunner.query('alter table llm_attempt add column round int not null default 1');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
