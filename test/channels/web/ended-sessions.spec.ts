import { WebSessionRepository } from '../../../src/candidates';
import { DomainEvents } from '../../../src/common/events';
import { PersonalDataService } from '../../../src/privacy';
import { EndedSessions } from '../../../src/channels/web/ended-sessions';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { ADMIN_TOKEN } from '../../support/secrets';
import { EventSourceReader } from './event-source';

const DAY_MS = 24 * 60 * 60_000;
const ENDED = { event: 'ended', data: { reason: 'session_ended' } };

describe('when a session ends', () => {
  const clock = new FakeClock();
  const readers: EventSourceReader[] = [];
  let app: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    const env = { SESSION_IDLE_TIMEOUT: String(7 * 86_400), SESSION_LIFETIME: String(20 * 86_400) };
    const options = { clock, isWorking: false, env: { ...env, ADMIN_TOKEN } };
    app = await startTestApp(options);
    other = await startReplica(app, options);
  });

  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  afterAll(async () => {
    await other.close();
    await app.close();
  });

  async function open(url: string, token: string): Promise<EventSourceReader> {
    const reader = await EventSourceReader.open(url, { authorization: `Bearer ${token}` });
    readers.push(reader);
    return reader.until(({ frames }) => frames.length > 0);
  }

  function events(at: TestApp, { token }: { token: string }): Promise<EventSourceReader> {
    return open(`${at.url}/api/v1/conversation/events`, token);
  }

  /** A second browser in the same interview. */
  async function sessionOf({ conversationId }: TestCandidate): Promise<{ token: string }> {
    const sessions = app.get(WebSessionRepository);
    const { sessionToken } = await app.commit((tx) => sessions.create(tx, conversationId));
    return { token: sessionToken };
  }

  function leave({ token }: { token: string }): Promise<Response> {
    return fetch(`${app.url}/api/v1/sessions/current`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
  }

  function check(at: TestApp): Promise<void> {
    return at.get(EndedSessions).closeStreams();
  }

  async function sessionRows(): Promise<string[]> {
    const rows = await app.commit((tx) =>
      tx.query<{ id: string }>('select conversation_id as id from web_session order by created_at'),
    );
    return rows.map(({ id }) => id);
  }

  test('by signing out, its event stream ends with a last event; other streams of the interview stay open', async () => {
    const candidate = await TestCandidate.begin(app);
    const staying = await sessionOf(candidate);
    const [mine, theirs] = [await events(app, candidate), await events(app, staying)];

    const { status } = await leave(candidate);

    expect([status, await mine.ended()]).toEqual([204, 'ended']);
    expect(mine.frames.at(-1)).toEqual(ENDED);
    await check(app);
    expect(theirs.end).toBeNull();
  });

  test('its streams at another replica end too; the stream of a watching recruiter stays open', async () => {
    const candidate = await TestCandidate.begin(app);
    const mine = await events(other, candidate);
    const watching = await open(
      `${other.url}/api/v1/admin/conversations/${candidate.conversationId}/events`,
      ADMIN_TOKEN,
    );
    await check(other);
    expect(mine.end).toBeNull();

    await leave(candidate);
    await check(other);

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual(ENDED);
    expect(watching.end).toBeNull();
  });

  test('by expiry its stream ends, however long it has been open', async () => {
    const candidate = await TestCandidate.begin(app);
    const mine = await events(other, candidate);
    clock.advance(7 * DAY_MS + 1);

    await check(other);

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual(ENDED);
  });

  async function watch({ conversationId }: TestCandidate): Promise<EventSourceReader> {
    const path = `/api/v1/admin/conversations/${conversationId}/events`;
    return open(`${app.url}${path}`, ADMIN_TOKEN);
  }

  test.each<[string, (candidate: TestCandidate) => Promise<unknown>]>([
    [
      'by the candidate',
      ({ headers }) => {
        const body = JSON.stringify({ confirm: 'erase' });
        const forget = `${app.url}/api/v1/conversation/forget`;
        return fetch(forget, { method: 'POST', headers, body });
      },
    ],
    [
      'by a command, or because it was kept for long enough',
      ({ conversationId }) => {
        const personal = app.get(PersonalDataService);
        return app.commit(async (tx) => {
          await personal.erase(tx, (await personal.findOwner(tx, conversationId)) ?? '', 'admin');
        });
      },
    ],
  ])('with an erasure %s, every stream ends with a last event', async (_, erase) => {
    const candidate = await TestCandidate.begin(app);
    const readers = [await events(app, candidate), await events(other, candidate)];
    const watching = await watch(candidate);

    await erase(candidate);
    await check(other);

    for (const reader of [...readers, watching]) expect(await reader.ended()).toBe('ended');
    expect(readers.map(({ frames }) => frames.at(-1))).toEqual([ENDED, ENDED]);
    expect(watching.frames.at(-1)).toEqual({ event: 'ended', data: { reason: 'erased' } });
  });

  test('because its link is issued again, its stream ends', async () => {
    const candidate = await TestCandidate.begin(app);
    const mine = await events(other, candidate);
    const { conversationId } = candidate;

    await app.commit(async (tx) => {
      const candidateId = (await app.get(PersonalDataService).findOwner(tx, conversationId)) ?? '';
      const of = { candidateId, vacancyId: app.vacancy.id };
      await app.get(WebSessionRepository).endOfInvited(tx, of);
    });
    await check(other);

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual(ENDED);
  });

  test('because its interview was joined to those of an invited candidate, its stream ends', async () => {
    const candidate = await TestCandidate.begin(app);
    const invited = await TestCandidate.begin(app);
    const mine = await events(app, candidate);

    await app.commit(async (tx) => {
      const owner = await app.get(PersonalDataService).findOwner(tx, invited.conversationId);
      await app.get(WebSessionRepository).endOf(tx, [candidate.conversationId]);
      await tx.query('update conversation set candidate_id = $2 where id = $1', [
        candidate.conversationId,
        owner,
      ]);
      await app.get(DomainEvents).publish(tx, 'conversation.changed', candidate);
    });

    expect(await mine.ended()).toBe('ended');
    expect(mine.frames.at(-1)).toEqual(ENDED);
  });

  test('a request of the AI SDK that waits for a reply ends with an error and without the reply', async () => {
    const candidate = await TestCandidate.begin(app);
    const response = await fetch(`${app.url}/api/chat`, {
      method: 'POST',
      headers: candidate.headers,
      body: JSON.stringify({
        id: candidate.conversationId,
        messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Rye.' }] }],
      }),
    });
    const resumed = await candidate.get(`/api/chat/${candidate.conversationId}/stream`);
    expect([response.status, resumed.status]).toEqual([200, 200]);

    await leave(candidate);

    for (const body of [await response.text(), await resumed.text()]) {
      const frames = body
        .replaceAll(': ok\n', '')
        .split('\n\n')
        .filter((frame) => frame !== '');
      expect(frames).toHaveLength(2);
      expect(frames[0]).toMatch(/"type":"error","errorText":"This session has ended\./);
      expect(frames[1]).toBe('data: [DONE]');
    }
  });

  test('the rows of expired sessions are deleted, live ones stay', async () => {
    const old = await TestCandidate.begin(app);
    clock.advance(7 * DAY_MS + 1);
    const live = await TestCandidate.begin(app);
    const worn = await TestCandidate.begin(app);
    await app.commit((tx) =>
      tx.query(
        `update web_session set created_at = created_at - interval '20 days'
         where conversation_id = $1`,
        [worn.conversationId],
      ),
    );

    const deleted = await app.get(EndedSessions).sweep();

    expect(deleted).toBeGreaterThanOrEqual(2);
    const left = await sessionRows();
    expect(left).toContain(live.conversationId);
    expect(left).not.toContain(old.conversationId);
    expect(left).not.toContain(worn.conversationId);
  });

  test('a sweep deletes a bounded number in one run, and the rest in the next', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    await app.commit((tx) =>
      tx.query(
        `insert into web_session (token_hash, conversation_id, created_at, seen_at)
         select 'swept-' || n, $1, $2::timestamptz - interval '9 days',
           $2::timestamptz - interval '8 days'
         from generate_series(1, 20500) n`,
        [conversationId, clock.now()],
      ),
    );
    const sessions = app.get(EndedSessions);

    const passes = [await sessions.sweep(), await sessions.sweep(), await sessions.sweep()];

    expect(passes).toEqual([20_000, 500, 0]);
    expect(await sessionRows()).toContain(conversationId);
  });
});
