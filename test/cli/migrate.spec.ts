import { MIGRATIONS } from '../../src/persistence/data-source';
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

  test('is refused without DATABASE_URL', async () => {
    const run = await cli(['migrate'], { DATABASE_URL: '' });

    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('DATABASE_URL is not set');
  });
});
