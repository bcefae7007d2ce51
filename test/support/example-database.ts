import path from 'node:path';
import { type TestDatabaseHandle, createTestDatabase } from './postgres';
import { runCliProcess } from './run-cli';

const FILES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'];
const FOLDER = path.join(__dirname, '../../examples');

/** A database with the example vacancies, which no server loads into a database of DATABASE_URL. */
export async function createExampleDatabase(): Promise<TestDatabaseHandle> {
  const database = await createTestDatabase();
  const files = FILES.map((file) => path.join(FOLDER, file));
  const run = await runCliProcess(['vacancy', 'import', ...files], { DATABASE_URL: database.url });
  if (run.code === 0) return database;
  await database.drop();
  throw new Error(`the examples were not imported: ${run.err}`);
}
