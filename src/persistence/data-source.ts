import type { ClientBase, QueryConfig } from 'pg';
import { DataSource } from 'typeorm';
import { DurableCore1764000000000 } from './migrations/1764000000000-durable-core';
import { BufferFunctions1764000000001 } from './migrations/1764000000001-buffer-functions';
import { TurnSegments1764000000002 } from './migrations/1764000000002-turn-segments';
import { Knowledge1764000000004 } from './migrations/1764000000004-knowledge';
import { AgentsAndTools1764000000005 } from './migrations/1764000000005-agents-and-tools';
import { Deliveries1764000000006 } from './migrations/1764000000006-deliveries';
import { Telegram1764000000007 } from './migrations/1764000000007-telegram';
import { Voice1764000000008 } from './migrations/1764000000008-voice';
import { Erasure1764000000009 } from './migrations/1764000000009-erasure';
import { FindingTheInterview1764000000010 } from './migrations/1764000000010-finding-the-interview';
import { NotionLimiter1764000000011 } from './migrations/1764000000011-notion-limiter';
import { NotionPages1764000000012 } from './migrations/1764000000012-notion-pages';
import { NotionIntake1764000000013 } from './migrations/1764000000013-notion-intake';
import { NotionSchedule1764000000014 } from './migrations/1764000000014-notion-schedule';
import { NotionBoardPasses1764000000015 } from './migrations/1764000000015-notion-board-passes';
import { NotionReviews1764000000017 } from './migrations/1764000000017-notion-reviews';
import { AccountConversations1764000000018 } from './migrations/1764000000018-account-conversations';
import { ConversationLimits1764000000019 } from './migrations/1764000000019-conversation-limits';
import { Access1764000000021 } from './migrations/1764000000021-access';
import { GivenBackTasks1764000000022 } from './migrations/1764000000022-given-back-tasks';
import { UnconfirmedSends1764000000023 } from './migrations/1764000000023-unconfirmed-sends';
import { NotionLimiterClocks1764000000024 } from './migrations/1764000000024-notion-limiter-clocks';
import { NotionBoards1764000000025 } from './migrations/1764000000025-notion-boards';
import { OwnerOfConversation1764000000027 } from './migrations/1764000000027-owner-of-conversation';
import { Files1764000000028 } from './migrations/1764000000028-files';
import { NotionWalk1764000000029 } from './migrations/1764000000029-notion-walk';
import { PinLimits1764000000030 } from './migrations/1764000000030-pin-limits';
import { SessionSweep1764000000031 } from './migrations/1764000000031-session-sweep';
import { SessionNotices1764000000032 } from './migrations/1764000000032-session-notices';
import { CheaperRows1764000000033 } from './migrations/1764000000033-cheaper-rows';
import { KeysOfEndedTasks1764000000035 } from './migrations/1764000000035-keys-of-ended-tasks';
import { RoomAndCopies1764000000036 } from './migrations/1764000000036-room-and-copies';
import { TelegramTake1764000000037 } from './migrations/1764000000037-telegram-take';
import { FilesArriving1764000000038 } from './migrations/1764000000038-files-arriving';
import { AuditRetention1764000000039 } from './migrations/1764000000039-audit-retention';
import { JobsAndQueues1764000000040 } from './migrations/1764000000040-jobs-and-queues';
import { SingleJobs1764000000041 } from './migrations/1764000000041-single-jobs';
import { Channels1764000000042 } from './migrations/1764000000042-channels';
import { Instance1764000000044 } from './migrations/1764000000044-instance';
import { DeferredBeginClient } from './deferred-begin';

/** Settings of a session by PostgreSQL's names, as `pg_settings.setting` shows them. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * On every connection of ours. The planner takes a table that was never analysed for a thousand rows
 * and more; joined, its guess passes the cost from which PostgreSQL compiles a statement, which takes
 * 200 ms where the work takes less than one. Our statements are short: compiling never pays.
 */
const EVERYWHERE: SessionSettings = { jit: 'off' };

const APPLY = `select set_config(name, value, false)
  from unnest($1::text[], $2::text[]) as setting (name, value)`;
/** A server that takes longer over this is as good as gone. */
const APPLY_MS = 2000;

/** What every connection has, and `more` of its own. */
export function sessionSettings(more: SessionSettings = {}): SessionSettings {
  return { ...EVERYWHERE, ...more };
}

/**
 * Sets them on a connection that was just made. A statement, because a pooler refuses or drops
 * startup options: PgBouncer 1.18 answers "unsupported startup parameter".
 */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = {
    text: APPLY,
    values: [Object.keys(settings), Object.values(settings)],
    query_timeout: APPLY_MS,
  };
  await client.query(statement);
}

/** Those that are not in force, each with the value that is. */
export async function settingsNotInForce(
  client: ClientBase,
  settings: SessionSettings,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1) order by name',
    [Object.keys(settings)],
  );
  const wrong = rows.filter(({ name, setting }) => settings[name] !== setting);
  return wrong.map(({ name, setting }) => `${name} is ${setting}, not ${settings[name] ?? ''}`);
}

/**
 * Session settings of every pooled connection. They turn a stuck commit into an error before it
 * outlives a job's lease (6 s), so a frozen process cannot hold back whoever takes over.
 */
export const TRIPWIRES = sessionSettings({
  statement_timeout: '3000',
  lock_timeout: '1000',
  idle_in_transaction_session_timeout: '4000',
});

/** Longer than statement_timeout: only a server that went away without a word is silent so long. */
const SILENCE_MS = 5000;

/** To open a connection takes five round trips: far from the database, as long as many commits. */
const KEPT_IDLE_MS = 300_000;

/**
 * The pool that units of work lease from. `poolWaitMs` bounds the wait for a connection,
 * `silenceMs` the wait for a statement.
 */
export function createDataSource(options: {
  url: string;
  poolSize: number;
  poolWaitMs?: number;
  silenceMs?: number;
  applicationName?: string;
}): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName ?? 'colloquy',
    poolSize: options.poolSize,
    connectTimeoutMS: options.poolWaitMs ?? 2000,
    migrations: MIGRATIONS,
    poolErrorHandler: () => undefined,
    extra: {
      keepAlive: true,
      idleTimeoutMillis: KEPT_IDLE_MS,
      query_timeout: options.silenceMs ?? SILENCE_MS,
      Client: DeferredBeginClient,
      onConnect: (client: ClientBase) => applySettings(client, TRIPWIRES),
    },
  });
}

export const MIGRATIONS = [
  DurableCore1764000000000,
  BufferFunctions1764000000001,
  TurnSegments1764000000002,
  Knowledge1764000000004,
  AgentsAndTools1764000000005,
  Deliveries1764000000006,
  Telegram1764000000007,
  Voice1764000000008,
  Erasure1764000000009,
  FindingTheInterview1764000000010,
  NotionLimiter1764000000011,
  NotionPages1764000000012,
  NotionIntake1764000000013,
  NotionSchedule1764000000014,
  NotionBoardPasses1764000000015,
  NotionReviews1764000000017,
  AccountConversations1764000000018,
  ConversationLimits1764000000019,
  Access1764000000021,
  GivenBackTasks1764000000022,
  UnconfirmedSends1764000000023,
  NotionLimiterClocks1764000000024,
  NotionBoards1764000000025,
  OwnerOfConversation1764000000027,
  Files1764000000028,
  NotionWalk1764000000029,
  PinLimits1764000000030,
  SessionSweep1764000000031,
  SessionNotices1764000000032,
  CheaperRows1764000000033,
  KeysOfEndedTasks1764000000035,
  RoomAndCopies1764000000036,
  TelegramTake1764000000037,
  FilesArriving1764000000038,
  AuditRetention1764000000039,
  JobsAndQueues1764000000040,
  SingleJobs1764000000041,
  Channels1764000000042,
  Instance1764000000044,
];
