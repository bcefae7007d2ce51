import { type INestApplicationContext, Logger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { SystemClock } from '../common/clock';
import type { Settings } from '../common/config';
import { RunMode } from '../common/run-mode';
import { type Connections, openConnections, withBootConnection } from '../persistence';
import { furtherModules } from './further-modules';

const POOL_SIZE = 1;
/** As PostgreSQL lists the connection. */
const NAME = 'colloquy-cli';

/**
 * The application of one command on an open database: the same services as in a server, on one connection.
 * It serves nothing, claims no job, listens to nothing and runs no interval, and only errors are logged.
 * `added`: modules that only this command needs. `close()` releases the connection. Throws
 * DatabaseUnreachableError, which says what to check.
 */
export async function createCommandContext(
  settings: Settings,
  databaseUrl: string,
  added: readonly Type[] = [],
): Promise<INestApplicationContext> {
  Logger.overrideLogger(['error']);
  const clock = new SystemClock();
  const further = [...(await furtherModules(settings, 'in a command')), ...added];
  const connections = await openPool(databaseUrl, clock);
  const parts = { settings, clock, mode: RunMode.command, connections, further };
  try {
    return await NestFactory.createApplicationContext(AppModule.on(parts), { abortOnError: false });
  } catch (error) {
    await connections.release();
    throw error;
  }
}

async function openPool(url: string, clock: SystemClock): Promise<Connections> {
  const explain = (): Promise<void> => withBootConnection(url, NAME, () => Promise.resolve());
  // The pool leaves a connection without a password open until the server ends it, a minute later.
  if (new URL(url).password === '') await explain();
  try {
    return await openConnections({ url, poolSize: POOL_SIZE, applicationName: NAME }, clock);
  } catch (error) {
    await explain();
    throw error;
  }
}
