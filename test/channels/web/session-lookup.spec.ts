import { WebSessionRepository } from '../../../src/candidates';
import { SignalConnection } from '../../../src/persistence';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';

/** All commits except those of the scrape itself. */
const ANY_COMMIT =
  /^colloquy_uow_commits_total\{label="(?!\w+\.measure)[^"]+",outcome="committed"\} (\d+)$/gm;
const LOOK_UPS =
  /^colloquy_uow_commits_total\{label="session.resolve",outcome="committed"\} (\d+)$/gm;

const clock = new FakeClock();
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false });
  other = await startReplica(app, { clock, isWorking: false });
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

async function count(of: RegExp, at = app): Promise<number> {
  const metrics = await (await fetch(`${at.url}/metrics`)).text();
  return [...metrics.matchAll(of)].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** The status of a request with this session on a replica. */
async function statusAt(at: TestApp, { token }: TestCandidate): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${at.url}/api/v1/conversation`, { headers })).status;
}

/** Deletes the row without a signal. */
function endUnheard({ conversationId }: TestCandidate): Promise<void> {
  return app.commit(async (tx) => {
    await tx.query('alter table web_session disable trigger web_session_ended');
    await tx.query('delete from web_session where conversation_id = $1', [conversationId]);
    await tx.query('alter table web_session enable trigger web_session_ended');
  });
}

describe('a request of a session', () => {
  test('costs one commit once the session is known', async () => {
    const candidate = await TestCandidate.begin(app);
    await statusAt(app, candidate);
    const before = await count(ANY_COMMIT);

    for (let n = 0; n < 10; n += 1) {
      const typed = await candidate.post('activity', { type: 'typing' });
      expect(typed.status).toBe(204);
    }
    expect((await count(ANY_COMMIT)) - before).toBe(10);

    for (let n = 0; n < 5; n += 1) await candidate.send(`m${n}`, 'Rye.');
    expect((await count(ANY_COMMIT)) - before).toBe(15);
  });

  test('looks the session up again after ten seconds', async () => {
    const candidate = await TestCandidate.arrive(app);
    await statusAt(app, candidate);
    const before = await count(LOOK_UPS);

    clock.advance(9_999);
    await statusAt(app, candidate);
    const soon = await count(LOOK_UPS);
    clock.advance(1);
    await statusAt(app, candidate);

    expect([soon - before, (await count(LOOK_UPS)) - before]).toEqual([0, 1]);
  });
});

describe('a session that has ended', () => {
  test('is refused at once where its browser signed out', async () => {
    const candidate = await TestCandidate.arrive(app);
    await statusAt(app, candidate);

    await fetch(`${app.url}/api/v1/sessions/current`, {
      method: 'DELETE',
      headers: candidate.headers,
    });

    expect(await statusAt(app, candidate)).toBe(401);
  });

  test('is refused at once where its person was erased', async () => {
    const candidate = await TestCandidate.begin(app);
    await statusAt(app, candidate);

    await candidate.post('forget', { confirm: 'erase' });

    expect(await statusAt(app, candidate)).toBe(401);
  });

  test.each(['it was left', 'its person was erased'])(
    'is refused on another replica as soon as it gets the signal that %s',
    async (how) => {
      const candidate = await TestCandidate.begin(app);
      expect(await statusAt(other, candidate)).toBe(200);
      const heard = new Promise<void>((resolve) => {
        const signal = `[["session", "${candidate.conversationId}"]]`;
        other.get(SignalConnection).listen({
          onSignal: (payload) => {
            if (payload === signal) resolve();
          },
          onConnected: () => undefined,
        });
      });

      if (how === 'it was left') {
        const { headers } = candidate;
        await fetch(`${app.url}/api/v1/sessions/current`, { method: 'DELETE', headers });
      } else {
        await candidate.post('forget', { confirm: 'erase' });
      }
      await heard;

      expect(await statusAt(other, candidate)).toBe(401);
    },
  );

  test('works for ten seconds at most on a replica that got no signal', async () => {
    const candidate = await TestCandidate.arrive(app);
    await statusAt(app, candidate);
    await endUnheard(candidate);

    const statuses = [await statusAt(app, candidate)];
    clock.advance(10_000);
    statuses.push(await statusAt(app, candidate));

    expect(statuses).toEqual([200, 401]);
  });

  test('is refused at once while the connection for signals is lost', async () => {
    const candidate = await TestCandidate.arrive(app);
    await statusAt(app, candidate);
    await endUnheard(candidate);
    jest.spyOn(app.get(SignalConnection), 'isConnected', 'get').mockReturnValue(false);

    expect(await statusAt(app, candidate)).toBe(401);
  });

  test('is not remembered by a look-up that ran meanwhile', async () => {
    const candidate = await TestCandidate.arrive(app);
    const sessions = app.get(WebSessionRepository);
    const use = sessions.use.bind(sessions);
    let found = (): void => undefined;
    let goOn = (): void => undefined;
    const isFound = new Promise<void>((resolve) => (found = resolve));
    const isHeard = new Promise<void>((resolve) => (goOn = resolve));
    jest.spyOn(sessions, 'use').mockImplementationOnce(async (tx, token) => {
      const conversationId = await use(tx, token);
      found();
      await isHeard;
      return conversationId;
    });
    const slow = statusAt(app, candidate);
    await isFound;
    app.get(SignalConnection).listen({
      onSignal: () => {
        goOn();
      },
      onConnected: () => undefined,
    });
    await app.commit((tx) => sessions.endOf(tx, [candidate.conversationId]));

    const statuses = [await slow, await statusAt(app, candidate)];

    expect(statuses).toEqual([200, 401]);
  });
});
