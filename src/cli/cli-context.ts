import type { INestApplicationContext, Type } from '@nestjs/common';
import path from 'node:path';
import { createCommandContext } from '../bootstrap/command-context';
import { Settings } from '../common/config';
import { type Label, type Tx, UnitOfWorkFactory } from '../common/uow';
import { migrate, refuseOldSchema } from '../persistence';
import {
  findRunningEmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../persistence/embedded';
import { NoDatabaseError } from './failures';

/** The actor in the audit: a command does not know who runs it. */
export const COMMAND_LINE = 'command line';

declare module '../common/uow' {
  interface LabelAreas {
    cli: 'cli' | 'doctor' | 'stats';
  }
}

/**
 * What a command works with: the services of the application on one pooled connection. It runs no job and
 * serves nothing, so it is safe while a server is running.
 */
export class CliContext {
  constructor(
    readonly settings: Settings,
    private readonly application: INestApplicationContext,
  ) {}

  /** The application's instance of this class. */
  get<T>(service: abstract new (...args: never[]) => T): T {
    return this.application.get<T>(service, { strict: false });
  }

  commit<T>(label: Label, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.get(UnitOfWorkFactory).run('cli', (uow) => uow.commit(label, work));
  }
}

/** `release` ends a database that the command has started. */
export interface CliDatabase {
  readonly url: string;
  readonly release: () => Promise<void>;
}

/**
 * Opens the context for `work`, and closes it also when `work` fails. `added`: modules that the other commands do
 * not need.
 */
export async function withCli<T>(
  work: (cli: CliContext) => Promise<T>,
  added: readonly Type[] = [],
): Promise<T> {
  const settings = Settings.fromEnvironment(process.env);
  const known = async (cli: CliContext): Promise<T> => {
    await cli.commit('schema.read', refuseOldSchema);
    return work(cli);
  };
  return withCliOn(settings, await openDatabase(settings), known, added);
}

/** The same on an open database, which is released at the end. */
export async function withCliOn<T>(
  settings: Settings,
  database: CliDatabase,
  work: (cli: CliContext) => Promise<T>,
  added: readonly Type[] = [],
): Promise<T> {
  let application: INestApplicationContext | undefined;
  try {
    application = await createCommandContext(settings, database.url, added);
    return await work(new CliContext(settings, application));
  } finally {
    await application?.close();
    await database.release();
  }
}

/**
 * Opens DATABASE_URL, else the embedded database of the running application, else the one that the
 * application left in its data folder, for this command alone. Throws NoDatabaseError when there is
 * none, because a command on a new, empty database would only hide that the folder is a wrong one.
 * `migrates: false` leaves a database that this command started as it is.
 */
export async function openDatabase(
  settings: Settings,
  { migrates }: { readonly migrates: boolean } = { migrates: true },
): Promise<CliDatabase> {
  const keep = (): Promise<void> => Promise.resolve();
  const { url, dataDir } = settings.database;
  if (url !== null) return { url, release: keep };
  const running = await findRunningEmbeddedPostgres(dataDir);
  if (running !== null) return { url: running, release: keep };
  if (!(await hasEmbeddedPostgres(dataDir))) throw new NoDatabaseError(path.resolve(dataDir));
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const own = await startEmbeddedPostgres({ dataDir, log });
  const release = (): Promise<void> => own.stop();
  try {
    if (migrates) await migrate(own.url);
  } catch (error) {
    await release();
    throw error;
  }
  return { url: own.url, release };
}
