import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/**
 * The whole schema, a file of tables for each room. A file refers to what the files before it define:
 * the functions of triggers come before the tables, all other functions after them.
 */
const FILES = [
  'functions/refuse_value',
  'functions/note_consent_seq',
  'functions/notify_ended_sessions',
  'tables/jobs',
  'tables/llm',
  'tables/candidates',
  'tables/vacancies',
  'tables/interview',
  'tables/access',
  'tables/streams',
  'tables/delivery',
  'tables/attention',
  'tables/knowledge',
  'tables/privacy',
  'tables/scoring',
  'tables/telegram',
  'tables/notion',
  'functions/answer_pace',
  'functions/debounce_due_at',
  'functions/buffer_before_reply',
  'functions/buffer_long_answer',
  'functions/buffer_quiet_time',
  'functions/delivery_given_up',
  'functions/interview_facts',
  'functions/telegram_take',
  'functions/notion_rates',
  'functions/notion_user_status_at',
  'views/read-models',
].map((name) => `${name}.sql`);

/** From here on, the schema is changed by `changes.ts`. */
export class Baseline1764000000100 implements MigrationInterface {
  readonly name = 'Baseline1764000000100';

  async up(queryRunner: QueryRunner): Promise<void> {
    // A function may use a column that a later change adds.
    await queryRunner.query('set local check_function_bodies = off');
    for (const file of FILES) await queryRunner.query(sqlFile(file));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

/** The names of the tables that the baseline makes. */
export function baselineTables(): string[] {
  return FILES.flatMap((file) => [...sqlFile(file).matchAll(/^create table (\w+)/gm)]).map(
    ([, name = '']) => name,
  );
}
