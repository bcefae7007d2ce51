import { hashToken } from '../../../src/common/ids';
import { ApiKeys } from '../../../src/access';
import { KeyRepository } from '../../../src/access/keys/key.repository';
import { SignalConnection } from '../../../src/persistence';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import {
  type TestKey,
  bearer,
  makeKey,
  outcomeOf,
  revokeKey,
  revokeUnheard,
} from '../../support/keys';
import { ADMIN_TOKEN } from '../../support/secrets';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const clock = new FakeClock();
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  const env = { ADMIN_TOKEN };
  app = await startTestApp({ clock, isWorking: false, env });
  other = await startReplica(app, { clock, isWorking: false, env });
  // Their sweeps use the real time and would commit too.
  await app.stopSweeps();
  for (const one of [app, other]) await contactOf(one.get(SignalConnection));
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(async () => {
  await other.close();
  await app.close();
});

function contactOf(signals: SignalConnection): Promise<void> {
  return new Promise((resolve) => {
    signals.listen({ onSignal: () => undefined, onConnected: resolve });
  });
}

/** What becomes of a request that needs `attention:read`. */
async function ask(key: { readonly token: string }, at = app): Promise<string> {
  return outcomeOf(await fetch(`${at.url}/api/v1/admin/attention`, { headers: bearer(key) }));
}

async function usedAt({ id }: TestKey): Promise<Date | null> {
  const row = await app.one<{ used_at: Date | null }>('select used_at from api_key where id = $1', [
    id,
  ]);
  return row.used_at;
}

describe('a key', () => {
  test('is recognised by its prefix and has 32 random bytes, of which only a hash is stored', async () => {
    const [one, two] = [await makeKey(app), await makeKey(app)];

    expect(one.token).toMatch(/^colloquy_[\w-]{43}$/);
    expect(Buffer.from(one.token.slice('colloquy_'.length), 'base64url')).toHaveLength(32);
    expect(one.token).not.toBe(two.token);
    expect(await app.rowsWith([one.token, one.token.slice('colloquy_'.length)])).toEqual([]);
    expect(await app.rowsWith([hashToken(one.token)])).toHaveLength(1);
    expect(await ask(one)).toBe('200');
  });

  test('is refused by its name, by its hash, and when a character is another one', async () => {
    const key = await makeKey(app);
    const changed = key.token.slice(0, -2) + (key.token.at(-2) === 'A' ? 'B' : 'A') + 'A';

    for (const token of [key.name, hashToken(key.token), changed]) {
      expect(await ask({ token })).toBe('401 admin_token_wrong');
    }
  });

  test('ends by its date, also while it is remembered', async () => {
    const key = await makeKey(app, { expiresAt: new Date(clock.now().getTime() + 5000) });
    const outcomes = [await ask(key)];

    clock.advance(4999);
    outcomes.push(await ask(key));
    clock.advance(1);
    outcomes.push(await ask(key));

    expect(outcomes).toEqual(['200', '200', '401 key_expired']);
  });

  test('ends a year after it was made, unless another date is chosen', async () => {
    const key = await makeKey(app);
    const { expiresAt } = await app.commit((tx) => app.get(ApiKeys).get(tx, key.name));

    expect(expiresAt).toEqual(new Date(clock.now().getTime() + 365 * DAY_MS));
  });

  test.each([
    ['the past', 0],
    ['more than a year away', 367 * DAY_MS],
  ])('cannot end in %s', async (_, inMs) => {
    const expiresAt = new Date(clock.now().getTime() + inMs);

    await expect(makeKey(app, { expiresAt })).rejects.toMatchObject({ code: 'key_end_invalid' });
  });

  test('keeps its name for itself, also after it is revoked', async () => {
    const key = await makeKey(app);
    await revokeKey(app, key);
    const again = {
      name: key.name,
      scopes: ['interviews:read'],
      vacancyIds: null,
      expiresAt: null,
      createdBy: 'the tests',
    };

    const made = app.commit((tx) => app.get(ApiKeys).create(tx, again));

    await expect(made).rejects.toMatchObject({ code: 'key_name_taken' });
  });

  test('is in no log', async () => {
    const key = await makeKey(app);
    await ask(key);
    await revokeKey(app, key);
    await ask(key);

    expect(app.log.lines.join('\n')).not.toContain(key.token);
  });
});

describe('the last use of a key', () => {
  test('is written at most once in five minutes, however many requests there are', async () => {
    const key = await makeKey(app);
    expect(await usedAt(key)).toBeNull();
    const began = clock.now();

    for (let n = 0; n < 25; n += 1) {
      await ask(key, n % 2 === 0 ? app : other);
      clock.advance(11_000);
    }
    expect(await usedAt(key)).toEqual(began);
    clock.advance(MINUTE_MS);
    const later = clock.now();
    await ask(key);

    expect(await usedAt(key)).toEqual(later);
  });

  test('is not noted when the key has ended', async () => {
    const key = await makeKey(app);
    await revokeKey(app, key);

    await ask(key);

    expect(await usedAt(key)).toBeNull();
  });
});

describe('requests with a key', () => {
  test('look it up once in ten seconds', async () => {
    const key = await makeKey(app);
    const lookUps = () => app.metrics('uow_commits_total', { label: 'key.use' });
    const before = await lookUps();

    for (let n = 0; n < 5; n += 1) await ask(key);
    clock.advance(9999);
    await ask(key);
    const soon = await lookUps();
    clock.advance(1);
    await ask(key);

    expect([soon - before, (await lookUps()) - before]).toEqual([1, 2]);
  });

  test('say how many are left, and are refused after the limit of the key', async () => {
    const env = { ADMIN_TOKEN, RATE_LIMIT_OF_KEY_PER_MINUTE: '2' };
    const limited = await startReplica(app, { clock, isWorking: false, env });
    try {
      const [key, another] = [await makeKey(app), await makeKey(app)];
      const url = `${limited.url}/api/v1/admin/attention`;
      const responses: Response[] = [];
      for (let n = 0; n < 3; n += 1) responses.push(await fetch(url, { headers: bearer(key) }));

      const [, last, refused] = responses;
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(last?.headers.get('ratelimit-limit')).toBe('2');
      expect(last?.headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(last?.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
      expect(refused?.headers.get('retry-after')).toBe(refused?.headers.get('ratelimit-reset'));
      expect(await refused?.json()).toMatchObject({ code: 'too_many_requests' });
      expect(await ask(another, limited)).toBe('200');
      expect(await ask({ token: ADMIN_TOKEN }, limited)).toBe('200');
      clock.advance(MINUTE_MS);
      expect(await ask(key, limited)).toBe('200');
    } finally {
      await limited.close();
    }
  });

  test('are let in without an ADMIN_TOKEN, where whoever has none is told what to send', async () => {
    const off = await startReplica(app, { clock, isWorking: false, env: {} });
    try {
      const key = await makeKey(app);

      expect(await ask(key, off)).toBe('200');
      expect(await ask({ token: ADMIN_TOKEN }, off)).toBe('401 admin_api_off');
      expect(await ask({ token: 'wrong' }, off)).toBe('401 admin_api_off');
      const without = await fetch(`${off.url}/api/v1/vacancies`);
      expect(without.headers.get('www-authenticate')).toBe('Bearer');
      expect(await without.json()).toMatchObject({
        status: 401,
        code: 'admin_token_wrong',
        title: 'Sign in, or send an API key or the admin token as a bearer token.',
      });
    } finally {
      await off.close();
    }
  });

  test('with a wrong key count as attempts to guess one, and with a revoked key do not', async () => {
    const guessed = await startReplica(app, { clock, isWorking: false });
    try {
      const revoked = await makeKey(app);
      await revokeKey(app, revoked);
      const outcomes: string[] = [];
      for (let n = 0; n < 12; n += 1) outcomes.push(await ask(revoked, guessed));
      const form = revoked.token.slice(0, -3);
      for (let n = 0; n < 11; n += 1) {
        outcomes.push(await ask({ token: `${form}${String(100 + n)}` }, guessed));
      }

      expect(outcomes).toEqual([
        ...Array<string>(12).fill('401 key_revoked'),
        ...Array<string>(10).fill('401 admin_token_wrong'),
        '429 too_many_attempts',
      ]);
      clock.advance(MINUTE_MS);
    } finally {
      await guessed.close();
    }
  });
});

describe('a key that is revoked', () => {
  test('is refused at once where it was revoked, and on another replica as soon as it has the signal', async () => {
    const key = await makeKey(app);
    expect([await ask(key), await ask(key, other)]).toEqual(['200', '200']);
    const heard = new Promise<void>((resolve) => {
      const signal = `[["key","${key.id}"]]`;
      other.get(SignalConnection).listen({
        onSignal: (payload) => {
          if (payload === signal) resolve();
        },
        onConnected: () => undefined,
      });
    });

    await revokeKey(app, key);
    const here = await ask(key);
    await heard;

    expect([here, await ask(key, other)]).toEqual(['401 key_revoked', '401 key_revoked']);
  });

  test('works for ten seconds at most on a replica that got no signal', async () => {
    const key = await makeKey(app);
    await ask(key);
    await revokeUnheard(app, key);

    const outcomes = [await ask(key)];
    clock.advance(10_000);
    outcomes.push(await ask(key));

    expect(outcomes).toEqual(['200', '401 key_revoked']);
  });

  test('is refused at once while the connection for signals is lost', async () => {
    const key = await makeKey(app);
    await ask(key);
    await revokeUnheard(app, key);
    jest.spyOn(app.get(SignalConnection), 'isConnected', 'get').mockReturnValue(false);

    expect(await ask(key)).toBe('401 key_revoked');
  });

  test('is not remembered by a look-up that ran meanwhile', async () => {
    const key = await makeKey(app);
    const keys = app.get(KeyRepository);
    const use = keys.use.bind(keys);
    let found = (): void => undefined;
    let goOn = (): void => undefined;
    const isFound = new Promise<void>((resolve) => (found = resolve));
    const isRevoked = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(keys, 'use').mockImplementationOnce(async (tx, hash) => {
      const shown = await use(tx, hash);
      found();
      await isRevoked;
      return shown;
    });
    const slow = ask(key);
    await isFound;
    await revokeKey(app, key);
    goOn();

    expect([await slow, await ask(key)]).toEqual(['200', '401 key_revoked']);
  });

  test('is revoked once: the second time nothing changes', async () => {
    const key = await makeKey(app);
    const keys = app.get(ApiKeys);
    const revoke = () =>
      app.commit(async (tx) => keys.revoke(tx, await keys.get(tx, key.id.toUpperCase())));

    const first = await revoke();
    clock.advance(MINUTE_MS);
    const second = await revoke();

    expect([first.hasChanged, second.hasChanged]).toEqual([true, false]);
    expect(second.key.revokedAt).toEqual(first.key.revokedAt);
  });
});
