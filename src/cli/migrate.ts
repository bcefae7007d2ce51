import { COMMAND } from '../common/command-name';
import { Settings } from '../common/config';
import { checkServer, migrate } from '../persistence';
import { RefusedInputError } from './failures';
import type { Result } from './output';

/** Checks the server of DATABASE_URL and runs the migrations that its database lacks. */
export async function migrateDatabase(): Promise<Result> {
  const { database } = Settings.fromEnvironment(process.env);
  if (database.url === null) {
    throw new RefusedInputError(
      `DATABASE_URL is not set: "${COMMAND} start" migrates the embedded PostgreSQL itself.`,
    );
  }
  await checkServer(database.url, database);
  const migrations = await migrate(database.url);
  const lines = migrations.map((name) => `ran ${name}`);
  return { document: { migrations }, lines: [...lines, 'The database is up to date.'] };
}
