import { EndedAccess } from '../../../src/channels/web/ended-access';
import { Users } from '../../../src/access';
import { SignalConnection } from '../../../src/persistence';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { makeUser, signIn } from '../../support/users';
import { bearer, makeKey, revokeKey, revokeUnheard } from '../../support/keys';
import { ADMIN_TOKEN } from '../../support/secrets';
import { EventSourceReader } from './event-source';

describe('the stream of somebody who watches an interview', () => {
  const clock = new FakeClock();
  const readers: EventSourceReader[] = [];
  let app: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    const options = { clock, isWorking: false, env: { ADMIN_TOKEN } };
    app = await startTestApp(options);
    other = await startReplica(app, options);
    // Their checks use the real time; here they run when a test says so.
    for (const one of [app, other]) {
      await one.stopSweeps();
      await new Promise<void>((onConnected) => {
        one.get(SignalConnection).listen({ onSignal: () => undefined, onConnected });
      });
    }
  });

  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  afterAll(async () => {
    await other.close();
    await app.close();
  });

  async function watch(
    at: TestApp,
    { conversationId }: TestCandidate,
    key: { readonly token: string },
  ): Promise<EventSourceReader> {
    const url = `${at.url}/api/v1/admin/conversations/${conversationId}/events`;
    const reader = await EventSourceReader.open(url, bearer(key));
    readers.push(reader);
    return reader.until(({ frames }) => frames.length > 0);
  }

  function check(at: TestApp): Promise<void> {
    return at.get(EndedAccess).closeStreams();
  }

  test('ends as soon as its key is revoked, on every replica, and says why; the streams of others stay', async () => {
    const candidate = await TestCandidate.begin(app);
    const [key, another] = [await makeKey(app), await makeKey(app)];
    const mine = [await watch(app, candidate, key), await watch(other, candidate, key)];
    const theirs = [
      await watch(other, candidate, another),
      await watch(app, candidate, { token: ADMIN_TOKEN }),
    ];

    await revokeKey(app, key);

    for (const reader of mine) {
      expect(await reader.ended()).toBe('ended');
      expect(reader.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'key_revoked' } });
    }
    for (const at of [app, other]) await check(at);
    expect(theirs.map(({ end }) => end)).toEqual([null, null]);
  });

  test('of the rows of an import ends as soon as its key is revoked, and says why', async () => {
    const place = `${app.url}/api/v1/vacancies/${app.vacancy.slug}/invitation-imports`;
    // One row has its fate at once, and one waits for the worker, which rests.
    const sent = await fetch(place, {
      method: 'POST',
      headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'text/csv' },
      body: 'name\n?\nAda\n',
    });
    const { id } = (await sent.json()) as { id: string };
    const key = await makeKey(app);
    const url = `${other.url}/api/v1/invitation-imports/${id}/events`;
    const reader = await EventSourceReader.open(url, bearer(key));
    readers.push(reader);
    await reader.until(({ frames }) => frames.length > 0);

    await revokeKey(app, key);

    expect(await reader.ended()).toBe('ended');
    expect(reader.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'key_revoked' } });
  });

  test('ends with the next check when no signal said that its key is revoked', async () => {
    const candidate = await TestCandidate.begin(app);
    const key = await makeKey(app);
    const mine = await watch(other, candidate, key);
    await check(other);
    expect(mine.end).toBeNull();

    await revokeUnheard(app, key);
    await check(other);

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'key_revoked' } });
  });

  test('ends with its key by the end date, however long it has been open', async () => {
    const candidate = await TestCandidate.begin(app);
    const key = await makeKey(app, { expiresAt: new Date(clock.now().getTime() + 3_600_000) });
    const mine = await watch(app, candidate, key);

    clock.advance(3_600_000);
    await check(app);

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'key_expired' } });
  });

  describe('of a colleague', () => {
    type Headers = Readonly<Record<string, string>>;

    async function watchAs(
      at: TestApp,
      { conversationId }: TestCandidate,
      headers: Headers,
    ): Promise<EventSourceReader> {
      const url = `${at.url}/api/v1/admin/conversations/${conversationId}/events`;
      const reader = await EventSourceReader.open(url, headers);
      readers.push(reader);
      return reader.until(({ frames }) => frames.length > 0);
    }

    async function reasonOf(reader: EventSourceReader): Promise<unknown> {
      expect(await reader.ended()).toBe('ended');
      const last = reader.frames.at(-1)?.data as { readonly reason?: string } | undefined;
      return last?.reason;
    }

    test('ends when the person signs out, on every replica; other sessions of theirs go on', async () => {
      const candidate = await TestCandidate.begin(app);
      const user = await makeUser(app, { role: 'recruiter' });
      const [here, elsewhere] = [await signIn(app, user), await signIn(app, user)];
      const mine = [await watchAs(app, candidate, here), await watchAs(other, candidate, here)];
      const others = await watchAs(other, candidate, elsewhere);

      await fetch(`${app.url}/api/v1/team/session`, { method: 'DELETE', headers: here });

      for (const reader of mine) expect(await reasonOf(reader)).toBe('session_ended');
      for (const at of [app, other]) await check(at);
      expect(others.end).toBeNull();
    });

    test('ends when the person is disabled', async () => {
      const candidate = await TestCandidate.begin(app);
      const user = await makeUser(app, { role: 'recruiter' });
      const reader = await watchAs(other, candidate, await signIn(app, user));

      await app.commit((tx) => app.get(Users).disable(tx, user));

      expect(await reasonOf(reader)).toBe('session_ended');
    });

    test('ends when the role or the vacancies change, and opens again as far as they allow', async () => {
      const candidate = await TestCandidate.begin(app);
      const user = await makeUser(app, { role: 'recruiter' });
      const session = await signIn(app, user);
      const reader = await watchAs(other, candidate, session);
      const { id } = await app.addVacancy({ slug: 'another' });

      const rights = { role: 'interviewer', vacancyIds: [id] } as const;
      await app.commit((tx) => app.get(Users).change(tx, user, rights));

      expect(await reasonOf(reader)).toBe('rights_changed');
      const url = `${other.url}/api/v1/admin/conversations/${candidate.conversationId}/events`;
      expect((await fetch(url, { headers: session })).status).toBe(404);
    });

    test('ends with the next check when the session has ended by itself', async () => {
      const candidate = await TestCandidate.begin(app);
      const session = await signIn(app, await makeUser(app, { role: 'viewer' }));
      const reader = await watchAs(app, candidate, session);
      await check(app);
      expect(reader.end).toBeNull();

      clock.advance(12 * 3_600_000);
      await check(app);

      expect(await reasonOf(reader)).toBe('session_ended');
    });
  });
});
