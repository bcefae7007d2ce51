import { randomUUID } from 'node:crypto';
import { MIGRATIONS } from '../../src/persistence/data-source';
import { OLD_SCHEMA, makeOld } from '../support/old-schema';
import { rowsOf } from '../support/outside';
import { cli, database } from './cli-database';

const NAMES = MIGRATIONS.map((Migration) => new Migration().name);

describe('colloquy migrate', () => {
  test('says that there is nothing to do on a database that is up to date', async () => {
    const run = await cli(['migrate']);

    expect(run).toEqual({ code: 0, out: 'The database is up to date.\n', err: '' });
  });

  test('runs every migration on an empty database and names it', async () => {
    await rowsOf(database().url, 'drop schema public cascade; create schema public');

    const { code, out } = await cli(['migrate', '--json']);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ migrations: NAMES });
    const stored = await rowsOf<{ name: string }>(
      database().url,
      'select name from migrations order by id',
    );
    expect(stored.map(({ name }) => name)).toEqual(NAMES);
  });

  test.each([
    [['migrate']],
    [['vacancy', 'list']],
    [['candidate', 'erase', randomUUID(), '--yes']],
    [['attention', '--json']],
    [['notion', 'why', '--page', randomUUID()]],
  ])('and every other command refuses a database of before the baseline: %j', async (args) => {
    await makeOld(database().url);
    const before = await rowsOf(database().url, 'select * from candidate');

    const run = await cli(args, { NOTION_TOKEN: 'ntn_x', NOTION_DATA_SOURCE_ID: randomUUID() });

    expect(run).toEqual({ code: 1, out: '', err: `${OLD_SCHEMA}\n` });
    expect(await rowsOf(database().url, 'select * from candidate')).toEqual(before);
  });

  test('the doctor says so too', async () => {
    await makeOld(database().url);

    const run = await cli(['doctor']);

    expect(run.code).toBe(1);
    expect(run.out).toContain(OLD_SCHEMA);
  });

  test('is refused without DATABASE_URL', async () => {
    const run = await cli(['migrate'], { DATABASE_URL: '' });

    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('DATABASE_URL is not set');
  });
});
