import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What goes with the row it belongs to: [table, column, the row's table]. */
const CASCADES = [
  ['invitation', 'candidate_id', 'candidate'],
  ['conversation', 'candidate_id', 'candidate'],
  ['web_session', 'conversation_id', 'conversation'],
  ['message', 'conversation_id', 'conversation'],
  ['turn', 'conversation_id', 'conversation'],
  ['attention', 'conversation_id', 'conversation'],
  ['delivery', 'conversation_id', 'conversation'],
  ['delivery', 'message_id', 'message'],
  ['delivery', 'turn_id', 'turn'],
  ['delivery_attempt', 'delivery_id', 'delivery'],
  ['llm_attempt', 'request_id', 'llm_request'],
] as const;

/** Everything of a person goes with the person's row; what is left says only that it went. */
export class Erasure1764000000009 implements MigrationInterface {
  readonly name = 'Erasure1764000000009';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column, parent] of CASCADES) {
      const key = `${table}_${column}_fkey`;
      await queryRunner.query(
        `alter table ${table} drop constraint ${key}, add constraint ${key}
           foreign key (${column}) references ${parent} (id) on delete cascade`,
      );
    }
    // PostgreSQL looks for what refers to each row that goes: never by reading a whole table.
    await queryRunner.query(`create index delivery_conversation on delivery (conversation_id)`);
    await queryRunner.query(`create index attention_conversation on attention (conversation_id)`);
    await queryRunner.query(
      `create index message_amends on message (amends) where amends is not null`,
    );
    await queryRunner.query(
      `create index turn_merged_into on turn (merged_into) where merged_into is not null`,
    );
    // Proof for the company that it erased, and when. It leads back to nobody.
    await queryRunner.query(`
      create table erasure (
        id bigint generated always as identity primary key,
        at timestamptz not null,
        vacancy_id uuid references vacancy (id) on delete set null,
        conversations int not null,
        messages int not null
      )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
