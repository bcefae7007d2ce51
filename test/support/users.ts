import { Passwords, type Role, type User, UserSessions, Users } from '../../src/access';
import type { TestApp } from './app';

export interface TestUser extends User {
  /** Null: the user has none, and only `signIn` lets them in. */
  readonly password: string | null;
}

let made = 0;

/**
 * A user with this role. An interviewer has the vacancy of the test unless `vacancyIds` names others. With a
 * `password` it is hashed as in production, which takes tens of milliseconds.
 */
export async function makeUser(
  app: TestApp,
  {
    role,
    vacancyIds = role === 'interviewer' ? [app.vacancy.id] : null,
    password = null,
    name,
  }: {
    readonly role: Role;
    readonly vacancyIds?: readonly string[] | null;
    readonly password?: string | null;
    readonly name?: string;
  },
): Promise<TestUser> {
  made += 1;
  const n = String(made);
  const passwordHash = password === null ? null : await app.get(Passwords).hash(password);
  const user = await app.commit((tx) =>
    app.get(Users).create(tx, {
      name: name ?? `Tester ${n}`,
      email: `tester-${n}@example.org`,
      role,
      vacancyIds,
      passwordHash,
      identity: null,
      createdBy: 'the tests',
    }),
  );
  return { ...user, password };
}

/**
 * Headers of a browser in which the user has just signed in: the cookie, and what a browser says of a request
 * from a page of the same host. The session is begun without comparing a password, which takes long.
 */
export async function signIn(
  app: TestApp,
  user: Pick<User, 'id'>,
): Promise<{ readonly cookie: string; readonly 'sec-fetch-site': string }> {
  const { token } = await app.commit((tx) =>
    app.get(UserSessions).begin(tx, user, { method: 'password', device: 'Firefox, Linux' }),
  );
  return { cookie: `colloquy_team=${token}`, 'sec-fetch-site': 'same-origin' };
}
