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
    name: 'ApiKeys1764000000200',
    statements: [
      // Keys for programs (src/keys). vacancy_ids: null for all vacancies. used_at: the last use, written seldom.
      `create table api_key (
        id uuid primary key,
        name text not null unique,
        token_hash text not null unique,
        scopes text[] not null,
        vacancy_ids uuid[],
        created_at timestamptz not null,
        created_by text not null,
        expires_at timestamptz not null,
        used_at timestamptz,
        revoked_at timestamptz
      )`,
      // The audit is listed by who did it. So far it has a row for each read by a person, so this is quick.
      `create index audit_event_actor on audit_event (actor, id)`,
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
