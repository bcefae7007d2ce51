import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate, dumpSchema } from '../../src/persistence';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

const DUMP = path.join(__dirname, '..', '..', 'docs', 'schema.sql');

describe('the schema', () => {
  test('is the one in docs/schema.sql (npm run schema:dump writes it)', async () => {
    const database = await createTestDatabase();

    const text = await dumpSchema(database.url);

    await database.drop();
    expect(text).toBe(await readFile(DUMP, 'utf8'));
  });

  test('in docs/schema.sql loads into an empty database and makes the same one', async () => {
    const { url, drop } = await createTestDatabase();
    const text = await readFile(DUMP, 'utf8');
    await rowsOf(url, 'drop schema public cascade; create schema public');

    await rowsOf(url, text);

    expect(await dumpSchema(url)).toBe(text);
    await drop();
  });

  test('is brought up to date once when several replicas start together', async () => {
    const database = await createTestDatabase();
    const before = await dumpSchema(database.url);

    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);

    const after = await dumpSchema(database.url);
    await database.drop();
    expect(after).toBe(before);
  });
});
