import { DataSource } from 'typeorm';
import { PinLimits } from '../../../src/channels/telegram/intake/pin-limits.repository';
import { Settings } from '../../../src/common/config';
import { newPinDigits } from '../../../src/common/ids';
import { type Pin, PinHasher } from '../../../src/vacancies';
import { migrate } from '../../../src/persistence';
import { MIGRATIONS } from '../../../src/persistence/data-source';
import { PinLimits1764000000030 } from '../../../src/persistence/migrations/1764000000030-pin-limits';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

const DAY_MS = 24 * 3_600_000;
const LIVE_INVITATIONS = 1000;

describe('limits of wrong PINs', () => {
  let database: TestDatabase;
  let limits: PinLimits;

  beforeEach(async () => {
    database = await openTestDatabase();
    limits = new PinLimits(database.clock, database.units, Settings.fromEnvironment({}));
    await new PinHasher(database.units).keyOf(newPinDigits() as Pin);
  });

  afterEach(() => database.close());

  const fail = (userId: number) =>
    database.units.run('test', (uow) => uow.commit('test', (tx) => limits.failed(tx, userId)));
  const stateOf = (userId: number) =>
    database.units.run('test', (uow) => uow.commit('test', (tx) => limits.stateOf(tx, userId)));
  const accounts = () => database.dataSource.query('select tries from pin_failure');

  test('with both budgets used up all year less than one guess in 100 years hits', () => {
    const { wrongPinsPerHour, firstPinsPerHour } = Settings.fromEnvironment({}).telegram;
    const guesses = (wrongPinsPerHour + firstPinsPerHour) * 24 * 365;

    const expectedHits = (guesses * LIVE_INVITATIONS) / 10 ** newPinDigits().length;

    expect(expectedHits).toBeLessThan(0.01);
  });

  test('an account counts as new after 90 days without a wrong PIN', async () => {
    for (let n = 0; n < 5; n += 1) await fail(1);
    database.clock.advance(10 * DAY_MS);
    await fail(2);
    database.clock.advance(80 * DAY_MS - 1000);
    expect(await limits.sweep()).toBe(0);

    database.clock.advance(1000);

    expect(await limits.sweep()).toBe(1);
    expect(await accounts()).toEqual([{ tries: 1 }]);
  });

  test('a lock from before they were kept beside the account goes on', async () => {
    const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(PinLimits1764000000030));
    const old = new DataSource({ type: 'postgres', url: database.url, migrations: before });
    await old.initialize();
    await old.query('drop schema public cascade; create schema public');
    await old.runMigrations();
    await old.query(`insert into deployment_secret (name, value) values ('pin_salt', 'salt')`);
    await old.query(
      `insert into telegram_account (user_id, language, pin_failures, pin_locks, pin_locked_until)
       values (1, 'en', 0, 1, $1), (2, 'en', 0, 0, null)`,
      [new Date(database.clock.now().getTime() + 60_000)],
    );
    await old.destroy();

    await migrate(database.url);

    expect(await stateOf(1)).toEqual({ lockedForMs: 60_000, pausedForMs: 0 });
    expect(await stateOf(2)).toEqual({ lockedForMs: 0, pausedForMs: 0 });
    expect(await accounts()).toEqual([{ tries: 5 }]);
  });
});
