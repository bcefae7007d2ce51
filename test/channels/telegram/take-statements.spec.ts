import { DeferredBeginClient } from '../../../src/persistence/deferred-begin';
import { type TestApp, startTestApp } from '../../support/app';
import { PDF } from '../../support/sent-files';
import { BOT, type Person, begunPerson } from './telegram-person';

const CAPTION = { caption: 'And this.' };

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

describe('with its caption, in one commit that locks the conversation before any job,', () => {
  test.each([
    ['a voice', ['VOICE', 'TEXT'], (ada: Person) => ada.user.sendsVoice(PDF, CAPTION)],
    ['a document', ['TEXT', 'FILE'], (ada: Person) => ada.user.sendsDocument(PDF, CAPTION)],
  ])('%s of a running interview is stored', async (_, types, send) => {
    const ada = await begunPerson(app);
    const taking = watchTaking();

    await ada.does(() => send(ada));

    const at = (statement: RegExp): number => taking.findIndex((text) => statement.test(text));
    expect(taking.filter((text) => /^COMMIT/i.test(text))).toHaveLength(1);
    expect(at(/from conversation where id = \$1 for no key update/)).toBeGreaterThan(0);
    expect(at(/\bjob\b/)).toBeGreaterThan(at(/from conversation where .* for no key update/));
    const stored = await app.sql<{ type: string }>(
      `select content_type as type from message where conversation_id = $1 and role = 'user'
       order by seq`,
      [await ada.conversationId()],
    );
    expect(stored.map(({ type }) => type)).toEqual(types);
  });
});
