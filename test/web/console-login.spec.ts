/** What a recruiter's page makes of a token that cannot be sent, and of too many attempts. */
import { ConsoleVisit } from '../../web/src/console/console-visit';
import { keptToken } from '../../web/src/console/kept-token';
import { consoleTexts } from '../../web/src/console/texts';

const ID = '01a20000-0000-7000-8000-000000000001';

describe('the login of a recruiter', () => {
  let visit: ConsoleVisit;
  let requests: number;
  /** What the server responds; a header that cannot be sent throws before that, as in a browser. */
  let response: Response;

  beforeEach(() => {
    requests = 0;
    visit = new ConsoleVisit(ID);
    jest.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      new Headers(init?.headers);
      requests += 1;
      return Promise.resolve(response);
    });
  });

  afterEach(() => {
    visit.lock();
    jest.restoreAllMocks();
  });

  test.each(['токен', 'two words', 'a line\nand another'])(
    'refuses a token that no server can have, and forgets it (%j)',
    async (token) => {
      await visit.enter(token);

      expect(visit.snapshot()).toEqual({ kind: 'login', wasRefused: true });
      expect([keptToken(), requests]).toEqual([null, 0]);
    },
  );

  test.each([
    ['42', 42],
    [null, null],
  ])('says that there were too many attempts (Retry-After: %s)', async (header, waitS) => {
    const headers = new Headers(header === null ? [] : [['retry-after', header]]);
    response = Response.json({ code: 'too_many_attempts' }, { status: 429, headers });

    await visit.enter('the-token');

    expect(visit.snapshot()).toEqual({ kind: 'tooMany', waitS });
  });

  test('asks again after a key that may not read interviews', async () => {
    response = Response.json({ code: 'scope_missing' }, { status: 403 });

    await visit.enter('the-token');

    expect(visit.snapshot()).toEqual({ kind: 'login', wasRefused: true });
  });

  test('can be tried again after the wait', async () => {
    response = Response.json({ code: 'too_many_attempts' }, { status: 429 });
    await visit.enter('the-token');
    response = Response.json({ code: 'admin_token_wrong' }, { status: 401 });

    await visit.load();

    expect(visit.snapshot()).toEqual({ kind: 'login', wasRefused: true });
  });
});

test.each([
  ['en', 1, /in 1 second\./],
  ['en', 42, /in 42 seconds\./],
  ['en', 61, /in 2 minutes\./],
  ['en', null, /in a few minutes\./],
  ['ru', 42, /через 42\sс\./],
  ['ru', 60, /через 1\sмин\.$/],
  ['ru', null, /через несколько минут\./],
] as const)('the page says how long to wait (%s, %s s)', (language, waitS, words) => {
  expect(consoleTexts[language].tooMany.text(waitS)).toMatch(words);
});
