import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/**
 * A change of the schema since the baseline. It is never edited: a later one corrects it. Replicas of the
 * version before go on working on the changed schema until they are replaced (docs/upgrade.md).
 */
interface Change {
  /** As it is stored in the database. Its last 13 digits are its place among all changes. */
  readonly name: string;
  readonly statements?: readonly string[];
  /** Functions of sql/functions that are defined anew after the statements, each after those it calls. */
  readonly functions?: readonly string[];
}

const CHANGES: readonly Change[] = [
  {
    // The questions that a message after the end belongs to; none: an aside.
    name: 'LateMessages1764000000120',
    statements: [
      `create table late_message (
        message_id uuid primary key references message(id) on delete cascade,
        question_ids text[] not null,
        placed_at timestamptz not null
      )`,
    ],
  },
];

/** The changes in order, as classes, because TypeORM makes the migrations itself. */
export const CHANGE_MIGRATIONS = CHANGES.map(
  ({ name, statements = [], functions = [] }) =>
    class implements MigrationInterface {
      readonly name = name;

      async up(queryRunner: QueryRunner): Promise<void> {
        for (const statement of statements) await queryRunner.query(statement);
        for (const of of functions) await queryRunner.query(sqlFile(`functions/${of}.sql`));
      }

      down(): Promise<void> {
        return Promise.reject(new Error('migrations go forward only'));
      }
    },
);
