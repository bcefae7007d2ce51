import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from '../sql-file';

/**
 * Renames `task` to `job`, its `lane` to `queue`, and `telegram_answer` to `telegram_bot_reply`, with
 * their indexes and constraints. Replicas of earlier versions cannot work with the new names: stop
 * them first. Functions whose text names a table are loaded again.
 */
export class JobsAndQueues1764000000040 implements MigrationInterface {
  readonly name = 'JobsAndQueues1764000000040';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of RENAMES) await queryRunner.query(statement);
    for (const name of FUNCTIONS) await queryRunner.query(sqlFile(`functions/${name}.sql`));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

const JOB_INDEXES = [
  ['task_dead', 'job_dead'],
  ['task_done', 'job_done'],
  ['task_due', 'job_due'],
  ['task_ended_key', 'job_ended_key'],
  ['task_given_back', 'job_given_back'],
  ['task_key', 'job_key'],
  ['task_lane_single', 'job_single_running'],
  ['task_lease', 'job_lease'],
  ['task_one_open', 'job_one_open'],
  ['task_one_running', 'job_one_running'],
  ['task_pkey', 'job_pkey'],
  ['attention_task', 'attention_job'],
  ['telegram_answer_pkey', 'telegram_bot_reply_pkey'],
  ['telegram_answer_account', 'telegram_bot_reply_account'],
  ['telegram_answer_chat', 'telegram_bot_reply_chat'],
] as const;

const RENAMES = [
  'alter table task rename to job',
  'alter table job rename column lane to queue',
  'alter table job rename constraint task_state_check to job_state_check',
  'alter sequence task_id_seq rename to job_id_seq',
  'alter table attention rename column task_id to job_id',
  `update attention set subject = 'job' || substr(subject, 5) where subject like 'task:%'`,
  'alter table telegram_answer rename to telegram_bot_reply',
  `alter table telegram_bot_reply
     rename constraint telegram_answer_account_id_fkey to telegram_bot_reply_account_id_fkey`,
  'alter sequence telegram_answer_id_seq rename to telegram_bot_reply_id_seq',
  'alter function tell_ended_sessions() rename to notify_ended_sessions',
  ...JOB_INDEXES.map(([from, to]) => `alter index ${from} rename to ${to}`),
];

const FUNCTIONS = ['buffer_append', 'buffer_join', 'notion_user_status_at'] as const;
