import {
  PIN_BUDGETS,
  PinLimits,
} from '../../../src/channels/telegram/intake/pin-limits.repository';
import { newPinDigits } from '../../../src/common/ids';
import { type Pin, PinHasher } from '../../../src/vacancies';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

const DAY_MS = 24 * 3_600_000;
const LIVE_INVITATIONS = 1000;

describe('limits of wrong PINs', () => {
  let database: TestDatabase;
  let limits: PinLimits;

  beforeEach(async () => {
    database = await openTestDatabase();
    limits = new PinLimits(database.clock);
    await new PinHasher(database.units).keyOf(newPinDigits() as Pin);
  });

  afterEach(() => database.close());

  const fail = (userId: number) =>
    database.units.run('test', (uow) => uow.commit('test', (tx) => limits.failed(tx, userId)));
  const sweep = () =>
    database.units.run('test', (uow) => uow.commitOne('test', (tx) => limits.sweep(tx)));
  const accounts = () => database.dataSource.query('select tries from pin_failure');

  test('with both budgets used up all year, less than one guess in 100 years succeeds', () => {
    const guesses = (PIN_BUDGETS.wrong + PIN_BUDGETS.first) * 24 * 365;

    const expectedHits = (guesses * LIVE_INVITATIONS) / 10 ** newPinDigits().length;

    expect(expectedHits).toBeLessThan(0.01);
  });

  test('an account counts as new after 90 days without a wrong PIN', async () => {
    for (let n = 0; n < 5; n += 1) await fail(1);
    database.clock.advance(10 * DAY_MS);
    await fail(2);
    database.clock.advance(80 * DAY_MS - 1000);
    await sweep();
    expect(await accounts()).toHaveLength(2);

    database.clock.advance(1000);
    await sweep();

    expect(await accounts()).toEqual([{ tries: 1 }]);
  });
});
