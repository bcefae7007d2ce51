import { Argon2Hasher, PasswordHasher } from '../../../src/access/users/password-hasher';
import { Passwords, weaknessOf } from '../../../src/access/users/passwords';
import { type Gate, gate } from '../../../tools/http-fake/gate';
import { settingsForTests } from '../../support/settings';

/** Each hash waits until the test lets it end. */
class HeldHasher extends PasswordHasher {
  readonly running: Gate[] = [];
  most = 0;

  override async hash(password: string): Promise<string> {
    const mayEnd = gate();
    this.running.push(mayEnd);
    this.most = Math.max(this.most, this.running.length);
    await mayEnd.opened;
    this.running.splice(this.running.indexOf(mayEnd), 1);
    return `hash of ${password}`;
  }

  override async verify(hash: string, password: string): Promise<boolean> {
    return (await this.hash(password)) === hash;
  }
}

/** Lets everything that waits for a resolved promise run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('passwords are compared', () => {
  test('two at a time; the others wait for their turn, in order', async () => {
    const hasher = new HeldHasher();
    const passwords = new Passwords(hasher, settingsForTests());
    const done: number[] = [];
    const all = Array.from({ length: 6 }, async (_, n) => {
      const isRight = await passwords.isRight('secret', 'hash of secret');
      done.push(n);
      return isRight;
    });

    for (let n = 0; n < 6; n += 1) {
      await settle();
      expect(hasher.running).toHaveLength(Math.min(2, 6 - n));
      hasher.running[0]?.open();
    }

    expect(await Promise.all(all)).toEqual(Array<boolean>(6).fill(true));
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
    expect(hasher.most).toBe(2);
  });

  test('and while fifty wait, a further one is refused at once', async () => {
    const hasher = new HeldHasher();
    const passwords = new Passwords(hasher, settingsForTests());
    const all = Array.from({ length: 52 }, () => passwords.hash('secret'));
    await settle();

    await expect(async () => passwords.hash('one more')).rejects.toMatchObject({
      code: 'busy',
      status: 503,
      retryAfterS: 5,
    });

    for (let n = 0; n < 52; n += 1) {
      hasher.running[0]?.open();
      await settle();
    }
    expect(await Promise.all(all)).toHaveLength(52);
    expect(hasher.most).toBe(2);
  });

  test('not at all when a limit was reached before its turn came', async () => {
    const hasher = new HeldHasher();
    const passwords = new Passwords(hasher, settingsForTests());
    const refusal = new Error('too many');

    const refused = passwords.isRight('secret', 'hash of secret', () => {
      throw refusal;
    });

    await expect(refused).rejects.toBe(refusal);
    expect(hasher.most).toBe(0);
    // Its turn is free again.
    const [one, two] = [passwords.hash('a'), passwords.hash('b')];
    await settle();
    expect(hasher.running).toHaveLength(2);
    for (const held of [...hasher.running]) held.open();
    await Promise.all([one, two]);
  });

  test('by argon2id with 19 MiB and two passes', async () => {
    const passwords = new Passwords(new Argon2Hasher(), settingsForTests());
    // A vector of the reference implementation's tests, of the password "password".
    const known =
      '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    const made = await passwords.hash('seven green harbour cranes');

    expect(made).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await passwords.isRight('seven green harbour cranes', made)).toBe(true);
    expect(await passwords.isRight('seven green harbour crane', made)).toBe(false);
    expect(await passwords.isRight('password', known)).toBe(true);
    expect(await passwords.isRight('Password', known)).toBe(false);
    expect(await passwords.isRight('seven green harbour cranes', null)).toBe(false);
    expect(await passwords.hash('seven green harbour cranes')).not.toBe(made);
  });
});

describe('a password', () => {
  const owner = { name: 'Ada Lovelace', email: 'countess@example.org' };

  test.each([
    ['eleven characters', 'abcdefghijk', /too short/],
    ['twelve half characters', '👩‍🚀'.repeat(3), /too short/],
    ['257 characters', 'ab'.repeat(128) + 'c', /too long/],
    ['256 characters of which one stands for several', `${'ab'.repeat(127)}c\ufb03`, /too long/],
    ['one character', 'aaaaaaaaaaaaaaaa', /one character/],
    ['the name', 'i am ADA lovelace!', /your name or your address/],
    ['the name in wide letters', 'ｉ ａｍ ａｄａ ｌｏｖｅｌａｃｅ', /your name or your address/],
    ['the address', 'my countess@example.org', /your name or your address/],
    ['the beginning of the address', 'the-countess-1815', /your name or your address/],
  ])('is refused for %s', (_, password, why) => {
    expect(weaknessOf(password, owner)).toMatch(why);
  });

  test.each([
    ['twelve characters', 'abcdefghijkl'],
    ['256 characters', 'ab'.repeat(128)],
    ['a sentence in another script', 'семь зелёных кранов'],
    ['the first name alone, which is a part of many words', 'canada and hungary'],
  ])('is taken with %s', (_, password) => {
    expect(weaknessOf(password, { ...owner, name: 'Ada' })).toBeNull();
  });

  test('is judged without an owner whose name and address are not known', () => {
    expect(weaknessOf('abcdefghijkl', { name: null, email: null })).toBeNull();
  });
});
