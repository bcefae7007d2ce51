import { DeferredBeginClient } from '../../../src/persistence/deferred-begin';
import { type TestApp, startTestApp } from '../../support/app';
import { BOT, begunPerson } from './telegram-person';

type Query = (...args: readonly unknown[]) => unknown;

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp(BOT);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await app.close();
});

/** Records, from now on, the statements of the commits that store an update. */
function watchTaking(): string[] {
  const commits = new Map<unknown, string[]>();
  const taking: string[] = [];
  const connection = DeferredBeginClient.prototype as unknown as { query: Query };
  const { query } = connection;
  jest.spyOn(connection, 'query').mockImplementation(function (this: unknown, ...args) {
    const [given] = args;
    const text = typeof given === 'string' ? given : (given as { text?: string }).text;
    const words = (text ?? '').trim();
    if (/^START TRANSACTION/i.test(words)) commits.set(this, []);
    const commit = commits.get(this);
    commit?.push(words);
    if (commit !== undefined && /^(COMMIT|ROLLBACK)/i.test(words)) {
      if (commit.some((one) => /telegram_take\(|^insert into telegram_update/.test(one)))
        taking.push(...commit);
      commits.delete(this);
    }
    return query.apply(this, args);
  });
  return taking;
}

describe('a message of a running interview', () => {
  test('is stored by four statements, however long the interview has been', async () => {
    const ada = await begunPerson(app);
    await ada.writes('I kept the old ledger.');
    const taking = watchTaking();
    await ada.writes('Beside the new one.');

    expect(taking.map((text) => text.split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'START TRANSACTION',
      'select a.user_id,',
      'with taken',
      'COMMIT',
    ]);
  });
});
