import { type SignedInPerson, UserLinks, Users } from '../../../src/access';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../../support/app';
import { outcomeOf } from '../../support/keys';
import { makeUser, signIn } from '../../support/users';

const ISSUER = 'https://sso.example.org/';

let app: TestApp;
let users: Users;
let subjects = 0;

beforeAll(async () => {
  app = await startTestApp({ clock: new FakeClock(), isWorking: false });
  users = app.get(Users);
});

beforeEach(() => app.sql('delete from app_user returning id'));

afterAll(() => app.close());

function identity(changes: Partial<SignedInPerson> = {}): SignedInPerson {
  subjects += 1;
  return {
    issuer: ISSUER,
    subject: `subject-${String(subjects)}`,
    name: 'Ada Lovelace',
    email: null,
    role: 'recruiter',
    vacancyIds: null,
    ...changes,
  };
}

const signInAs = (person: SignedInPerson) => app.commit((tx) => users.signInByIdentity(tx, person));

describe('the last enabled admin', () => {
  test('keeps the role and stays enabled, until there is another one', async () => {
    const ada = await makeUser(app, { role: 'admin' });
    const grace = await makeUser(app, { role: 'recruiter' });
    const demote = () => app.commit((tx) => users.change(tx, ada, { role: 'viewer' }));
    const disable = () => app.commit((tx) => users.disable(tx, ada));

    await expect(demote()).rejects.toMatchObject({ code: 'last_admin' });
    await expect(disable()).rejects.toMatchObject({ code: 'last_admin' });
    await app.commit((tx) => users.change(tx, grace, { role: 'admin' }));
    await app.commit((tx) => users.disable(tx, grace));
    await expect(demote()).rejects.toMatchObject({ code: 'last_admin' });
    await app.commit((tx) => users.enable(tx, grace));

    expect((await demote()).user.role).toBe('viewer');
  });

  test('remains when two admins take each other’s role away at once', async () => {
    const ada = await makeUser(app, { role: 'admin' });
    const grace = await makeUser(app, { role: 'admin' });

    const first = await app.halfDone((tx) => users.change(tx, grace, { role: 'viewer' }));
    const second = app
      .commit((tx) => users.change(tx, ada, { role: 'viewer' }))
      .catch((error: unknown) => error);
    await app.untilLockWait();
    await first.end();

    expect(await second).toMatchObject({ code: 'last_admin' });
    expect((await app.commit((tx) => users.get(tx, ada.id))).role).toBe('admin');
  });

  test('remains when one admin disables another one who takes the role away at once', async () => {
    const ada = await makeUser(app, { role: 'admin' });
    const grace = await makeUser(app, { role: 'admin' });

    const first = await app.halfDone((tx) => users.disable(tx, grace));
    const second = app
      .commit((tx) => users.change(tx, ada, { role: 'recruiter' }))
      .catch((error: unknown) => error);
    await app.untilLockWait();
    await first.end();

    expect(await second).toMatchObject({ code: 'last_admin' });
  });
});

describe('a user', () => {
  test('has a name that nobody else has or had, in whatever case', async () => {
    const ada = await makeUser(app, { role: 'viewer', name: 'Ada Lovelace' });
    await app.commit((tx) => users.disable(tx, ada));

    await expect(makeUser(app, { role: 'viewer', name: 'ada lovelace' })).rejects.toMatchObject({
      code: 'user_name_taken',
    });
  });

  test.each([
    ['an interviewer without vacancies', 'interviewer', null],
    ['an admin with vacancies', 'admin', ['019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55']],
    ['a recruiter with vacancies', 'recruiter', ['019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55']],
  ] as const)('is not made as %s', async (_, role, vacancyIds) => {
    const refusal = { code: 'user_vacancies_wrong' };
    await expect(makeUser(app, { role, vacancyIds })).rejects.toMatchObject(refusal);
    const invitation = { role, vacancyIds, name: null, email: null, createdBy: 'the tests' };
    await expect(
      app.commit((tx) => app.get(UserLinks).invite(tx, invitation)),
    ).rejects.toMatchObject(refusal);
  });

  test('loses vacancies with a role that has none, and needs them for one that has', async () => {
    const nora = await makeUser(app, { role: 'interviewer' });

    const { user } = await app.commit((tx) => users.change(tx, nora, { role: 'recruiter' }));

    expect(user.vacancyIds).toBeNull();
    await expect(
      app.commit((tx) => users.change(tx, nora, { role: 'interviewer' })),
    ).rejects.toMatchObject({ code: 'user_vacancies_wrong' });
  });
});

describe('whom a provider has signed in', () => {
  test('is the same user at each sign-in, with what the provider says now', async () => {
    const person = identity({ email: 'Ada@Example.org' });
    const first = await signInAs(person);
    const again = await signInAs({
      ...person,
      name: 'Countess of Lovelace',
      email: 'countess@example.org',
      role: 'recruiter',
    });

    expect(first).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.org', method: 'oidc' });
    expect(again).toMatchObject({
      id: first.id,
      // The audit names the user so.
      name: 'Ada Lovelace',
      email: 'countess@example.org',
    });
  });

  test('is never a user who has the same address or name', async () => {
    const known = await makeUser(app, { role: 'admin', name: 'Ada Lovelace' });

    const stranger = await signInAs(identity({ email: known.email, role: 'recruiter' }));
    const third = await signInAs(identity({ subject: 'another', email: known.email }));

    expect(stranger).toMatchObject({ name: 'Ada Lovelace (2)', email: null, role: 'recruiter' });
    expect(third).toMatchObject({ name: 'Ada Lovelace (3)', email: null });
    expect(stranger.id).not.toBe(known.id);
  });

  test('is another user with the same subject at another issuer', async () => {
    const person = identity();
    const one = await signInAs(person);
    const two = await signInAs({ ...person, issuer: 'https://sso.example.org' });

    expect(two.id).not.toBe(one.id);
  });

  test('is one user when two browsers sign in for the first time at once', async () => {
    const person = identity();
    const first = await app.halfDone((tx) => users.signInByIdentity(tx, person));
    const second = signInAs(person);
    await app.untilLockWait();

    expect((await first.end()).id).toBe((await second).id);
    expect(await app.commit((tx) => users.list(tx))).toHaveLength(1);
  });

  test('is refused while disabled', async () => {
    const person = identity();
    const user = await signInAs(person);
    await app.commit((tx) => users.disable(tx, user));

    await expect(signInAs(person)).rejects.toMatchObject({ code: 'user_disabled' });
  });

  test('loses rights at once that the provider takes away, also as the last admin', async () => {
    const person = identity({ role: 'admin' });
    const user = await signInAs(person);
    const session = await signIn(app, user);
    const ask = async () => outcomeOf(await fetch(`${app.url}/api/v1/users`, { headers: session }));
    expect(await ask()).toBe('200');

    await signInAs({ ...person, role: 'recruiter' });

    expect(await ask()).toBe('403 scope_missing');
  });

  test('as an interviewer reaches no vacancy before an admin names some, which then stay', async () => {
    const person = identity({ role: 'interviewer' });
    const user = await signInAs(person);
    expect(user.vacancyIds).toEqual([]);

    const rights = { vacancyIds: [app.vacancy.id] };
    await app.commit((tx) => users.change(tx, user, rights));

    expect((await signInAs(person)).vacancyIds).toEqual([app.vacancy.id]);
  });

  test('keeps the vacancies that an admin names at the same moment', async () => {
    const person = identity({ role: 'viewer' });
    const user = await signInAs(person);
    const rights = { vacancyIds: [app.vacancy.id] };

    const first = await app.halfDone((tx) => users.change(tx, user, rights));
    const second = signInAs({ ...person, role: 'interviewer' });
    await app.untilLockWait();
    await first.end();

    expect(await second).toMatchObject({ role: 'interviewer', vacancyIds: [app.vacancy.id] });
  });

  test.each([
    ['Ada\u202eecalevoL', 'Ada ecalevoL'],
    ['  Ada \n Lovelace ', 'Ada Lovelace'],
    ['👩‍🚀', 'Colleague'],
    ['', 'Colleague'],
    ['<b>Ada</b>', 'b Ada b'],
  ])('named %j is stored as %j', async (name, stored) => {
    expect((await signInAs(identity({ name }))).name).toBe(stored);
  });

  test('gets no password link', async () => {
    const user = await signInAs(identity());

    await expect(
      app.commit((tx) => app.get(UserLinks).passwordLink(tx, user, 'the tests')),
    ).rejects.toMatchObject({ code: 'user_without_password' });
  });
});
