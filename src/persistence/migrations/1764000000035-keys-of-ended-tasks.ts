import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An erasure finds the ended tasks of a person by their keys instead of reading all there are. A row
 * enters this index once, when it ends: nothing that waits or runs writes it. With the pattern's
 * operators, because keys are also looked for by what they begin with.
 */
export class KeysOfEndedTasks1764000000035 implements MigrationInterface {
  readonly name = 'KeysOfEndedTasks1764000000035';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index task_ended_key on task (key text_pattern_ops) where state in ('done', 'dead')`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
