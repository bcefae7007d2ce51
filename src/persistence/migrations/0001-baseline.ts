import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ColloquyError } from '../../common/errors';
import { sqlFile } from '../sql-file';

/** Tables by area. A file references tables of the files before it. */
const TABLES = [
  '10-vacancies-and-candidates.sql',
  '20-jobs.sql',
  '30-interview.sql',
  '35-access.sql',
  '40-delivery-and-attention.sql',
  '50-knowledge.sql',
  '60-telegram.sql',
  '70-notion.sql',
];

/** Each file uses "create or replace", so it can be loaded into a database that has them already. */
const FUNCTIONS_AND_VIEWS = [
  'functions/debounce_due_at.sql',
  'functions/buffer_due_at.sql',
  'functions/buffer_append.sql',
  'functions/buffer_join.sql',
  'functions/notify_ended_sessions.sql',
  'functions/telegram_take.sql',
  'functions/notion_rates.sql',
  'functions/notion_user_status_at.sql',
  'views/read-models.sql',
];

/** The migrations of the last build before the baseline. A database that has them all is adopted. */
const EARLIER = [
  'DurableCore1764000000000',
  'BufferFunctions1764000000001',
  'TurnSegments1764000000002',
  'Knowledge1764000000004',
  'AgentsAndTools1764000000005',
  'Deliveries1764000000006',
  'Telegram1764000000007',
  'Voice1764000000008',
  'Erasure1764000000009',
  'FindingTheInterview1764000000010',
  'NotionLimiter1764000000011',
  'NotionPages1764000000012',
  'NotionIntake1764000000013',
  'NotionSchedule1764000000014',
  'NotionBoardPasses1764000000015',
  'NotionReviews1764000000017',
  'AccountConversations1764000000018',
  'ConversationLimits1764000000019',
  'Access1764000000021',
  'GivenBackTasks1764000000022',
  'UnconfirmedSends1764000000023',
  'NotionLimiterClocks1764000000024',
  'NotionBoards1764000000025',
  'OwnerOfConversation1764000000027',
  'Files1764000000028',
  'NotionWalk1764000000029',
  'PinLimits1764000000030',
  'SessionSweep1764000000031',
  'SessionNotices1764000000032',
  'CheaperRows1764000000033',
  'KeysOfEndedTasks1764000000035',
  'RoomAndCopies1764000000036',
  'TelegramTake1764000000037',
  'FilesArriving1764000000038',
  'AuditRetention1764000000039',
];

/** The migrations after them. A database that lacks one of them gets it from `sql/adopt`. */
const LATER = [
  'JobsAndQueues1764000000040',
  'SingleJobs1764000000041',
  'Channels1764000000042',
  'NotionQueues1764000000043',
  'Instance1764000000044',
];

/** The database has only some of the earlier migrations. Only the build that had them can add the rest. */
export class DatabaseTooOldError extends ColloquyError {
  readonly code = 'database_too_old';
  readonly retryable = false;
}

/**
 * The whole schema. A database of the last build before this one is adopted and keeps its rows. From here
 * on, migrations go forward only: a change of a table is a new migration, and a change of a function is
 * an edit of its file and a migration that loads it.
 */
export class Baseline1764000000045 implements MigrationInterface {
  readonly name = 'Baseline1764000000045';

  async up(queryRunner: QueryRunner): Promise<void> {
    const found = (await queryRunner.query('select name from migrations')) as { name: string }[];
    const done = new Set(found.map(({ name }) => name));
    const count = EARLIER.filter((name) => done.has(name)).length;
    if (count > 0 && count < EARLIER.length) throw tooOld(count);
    const files = count === 0 ? TABLES : adoptionOf(done);
    for (const file of [...files, ...FUNCTIONS_AND_VIEWS]) await queryRunner.query(sqlFile(file));
    const replaced = [...EARLIER, ...LATER];
    await queryRunner.query('delete from migrations where name = any($1)', [replaced]);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}

function adoptionOf(done: ReadonlySet<string>): string[] {
  return LATER.filter((name) => !done.has(name)).map((name) => `adopt/${name}.sql`);
}

function tooOld(count: number): DatabaseTooOldError {
  return new DatabaseTooOldError(
    `This database was made by an unfinished older build (${String(count)} of ` +
      `${String(EARLIER.length)} migrations): start that build once, then this one.`,
    { fields: { done: count, of: EARLIER.length } },
  );
}
