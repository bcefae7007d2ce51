import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores what each message is, objections to automated processing, and the prompt of each reply. */
export class MessageLabels1764000000053 implements MigrationInterface {
  readonly name = 'MessageLabels1764000000053';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0005-message-labels.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
