import { EndedKeys } from '../../../src/channels/web/ended-keys';
import { SignalConnection } from '../../../src/persistence';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { bearer, makeKey, revokeKey, revokeUnheard } from '../../support/keys';
import { ADMIN_TOKEN } from '../../support/secrets';
import { EventSourceReader } from './event-source';

describe('the stream of a program that watches an interview', () => {
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
    return at.get(EndedKeys).closeStreams();
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
});
