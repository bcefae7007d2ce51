import { DataSource } from 'typeorm';
import { DurableCore1764000000000 } from './migrations/1764000000000-durable-core';
import { BufferFunctions1764000000001 } from './migrations/1764000000001-buffer-functions';

/**
 * Session settings of every pooled connection. They turn a stuck commit into an error before it
 * outlives a task's lease (6 s), so a frozen process cannot hold back whoever takes over.
 */
const TRIPWIRES = [
  '-c statement_timeout=3000',
  '-c lock_timeout=1000',
  '-c idle_in_transaction_session_timeout=4000',
].join(' ');

/** The pool that units of work lease from. `poolWaitMs` bounds the wait for a connection. */
export function createDataSource(options: {
  url: string;
  poolSize: number;
  poolWaitMs?: number;
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
    extra: { options: TRIPWIRES, keepAlive: true },
  });
}

export const MIGRATIONS = [DurableCore1764000000000, BufferFunctions1764000000001];
