import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/** Stores the candidate's time zone, and the status of an interview that ended by silence. */
export class Reminders1764000000057 implements MigrationInterface {
  readonly name = 'Reminders1764000000057';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(sqlFile('changes/0009-reminders.sql'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
