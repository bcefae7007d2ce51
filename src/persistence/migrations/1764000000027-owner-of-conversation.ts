import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who answers in a conversation, and which of its lines a person wrote. */
export class OwnerOfConversation1764000000027 implements MigrationInterface {
  readonly name = 'OwnerOfConversation1764000000027';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(OWNER);
    await queryRunner.query(`update conversation set owner = 'asked' where status = 'handed_over'`);
    await queryRunner.query(
      `alter table message add column from_person boolean not null default false`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** `takeovers` tells a reply that was begun before a person took over from a later one. */
const OWNER = `
alter table conversation
  add column owner text not null default 'model'
    constraint conversation_owner check (owner in ('model', 'asked', 'person')),
  add column takeovers int not null default 0`;
