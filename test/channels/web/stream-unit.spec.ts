import { withConstants } from '../../support/constants';
import { STREAM_LIMITS } from '../../../src/channels/web/events/sse-response';
import { DataSource } from 'typeorm';
import {
  UnitOfWorkBusyError,
  UnitOfWorkClosedError,
  UnitOfWorkFactory,
} from '../../../src/common/uow';
import { LiveReplies } from '../../../src/streams';
import { gate } from '../../../tools/http-fake/gate';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { type SeenUnit, isClosed, watchUnits } from '../../support/seen-units';
import { untilInProcess } from '../../support/until';
import { rowsOf } from '../../support/outside';
import { heldReply, storeLines } from './mid-reply';
import { said } from './chat-client';
import { EventSourceReader } from './event-source';

const POOL_SIZE = 2;
const CANDIDATES = 8;
const STREAMS_EACH = 5;
const STREAMS = CANDIDATES * STREAMS_EACH;
/** More lines than one read of a conversation shows. */
const MANY_LINES = 60;
const STREAM = 'stream.events';
const CHAT = 'http POST /api/chat';

let app: TestApp;
let units: UnitOfWorkFactory;
/** Every unit of a stream or an HTTP request. */
let seen: SeenUnit[];
const readers: EventSourceReader[] = [];

withConstants(STREAM_LIMITS, { perSession: STREAMS_EACH });

beforeAll(async () => {
  app = await startTestApp({
    model: true,
    env: { DATABASE_POOL_SIZE: String(POOL_SIZE) },
  });
  units = app.get(UnitOfWorkFactory);
  seen = watchUnits(units, (label) => label === STREAM || label.startsWith('http '));
});

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await untilInProcess('every unit of work is closed', () =>
    seen.every(({ unit }) => isClosed(unit)),
  );
  seen.splice(0);
});

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

function unitsOf(label: string): SeenUnit[] {
  return seen.filter(({ unit }) => unit.label === label);
}

function lastUnitOf(label: string): SeenUnit {
  const last = unitsOf(label).at(-1);
  if (last === undefined) throw new Error(`no unit "${label}" was opened`);
  return last;
}

async function read(candidate: TestCandidate, lastEventId?: string): Promise<EventSourceReader> {
  const headers = {
    ...candidate.headers,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const url = `${app.url}/api/v1/conversation/events`;
  const reader = await EventSourceReader.open(url, headers);
  readers.push(reader);
  return reader.until(({ names }) => names.includes('hello'));
}

function post(candidate: TestCandidate, signal?: AbortSignal): Promise<Response> {
  return fetch(`${app.url}/api/chat`, {
    method: 'POST',
    headers: candidate.headers,
    body: JSON.stringify({ id: candidate.conversationId, messages: [said('m1', 'Rye.')] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The statements after which connections of the application hold a transaction open. */
function connectionsInTransaction(): Promise<unknown[]> {
  return rowsOf(
    app.databaseUrl,
    `select query from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy'
       and state like 'idle in transaction%'`,
  );
}

describe('the unit of work of an event stream', () => {
  test('holds no connection while the stream is idle: 40 streams and a waiting chat on a pool of 2', async () => {
    app.model.next(heldReply('Thank ', 'you.'));
    const chat = await post(await TestCandidate.begin(app));
    await app.model.request(1);
    const candidates: TestCandidate[] = [];
    for (let n = 0; n < CANDIDATES; n += 1) {
      const candidate = await TestCandidate.begin(app);
      candidates.push(candidate);
      for (let stream = 0; stream < STREAMS_EACH; stream += 1) await read(candidate);
    }
    const { master } = app.get(DataSource).driver as unknown as {
      master: { totalCount: number; idleCount: number; waitingCount: number };
    };

    expect(unitsOf(STREAM)).toHaveLength(STREAMS);
    const waiting = [...unitsOf(STREAM), lastUnitOf(CHAT)];
    expect(waiting.filter(({ unit }) => isClosed(unit))).toEqual([]);
    await untilInProcess(
      'no commit runs and no connection is in use',
      () => units.committing === 0 && master.idleCount === master.totalCount,
    );
    expect(master.totalCount).toBeLessThanOrEqual(POOL_SIZE);
    expect(master.waitingCount).toBe(0);
    // A read that the streams share may be under way at any moment; what a stream held would stay.
    let held = await connectionsInTransaction();
    for (let look = 0; look < 50 && held.length > 0; look += 1) {
      held = await connectionsInTransaction();
    }
    expect(held).toEqual([]);

    // Both connections of the pool at the same time: a stream that held one would prevent it.
    const both = gate();
    let begun = 0;
    const commits = [1, 2].map(() =>
      app.commit(async () => {
        begun += 1;
        if (begun === POOL_SIZE) both.open();
        await both.opened;
      }),
    );
    await Promise.all(commits);
    const [candidate] = candidates;
    expect((await candidate?.send('m1', 'Rye.'))?.status).toBe(202);
    app.model.release();
    expect(await chat.text()).toContain('"type":"finish"');
  });

  test('is the only open unit of its request', async () => {
    const candidate = await TestCandidate.begin(app);
    await read(candidate);

    const request = unitsOf('http GET /api/v1/conversation/events');

    expect(request.every(({ unit }) => isClosed(unit))).toBe(true);
    expect(lastUnitOf(STREAM).commits).toEqual(['events.open']);
  });

  test('is closed when the reader leaves', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await read(candidate);
    const { unit } = lastUnitOf(STREAM);
    const before = units.openUnits;

    reader.close();
    await untilInProcess('the unit of work is closed', () => isClosed(unit));

    expect(units.openUnits).toBeLessThan(before);
    await expect(unit.commit('test.late', () => Promise.resolve())).rejects.toBeInstanceOf(
      UnitOfWorkClosedError,
    );
  });

  test('notes the session as seen with the first read', async () => {
    const candidate = await TestCandidate.begin(app);
    await rowsOf(
      app.databaseUrl,
      `update web_session set seen_at = now() - interval '10 minutes' where conversation_id = $1`,
      [candidate.conversationId],
    );

    await read(candidate);

    const [session] = await rowsOf<{ isSeen: boolean }>(
      app.databaseUrl,
      `select seen_at > now() - interval '1 minute' as "isSeen" from web_session
       where conversation_id = $1`,
      [candidate.conversationId],
    );
    expect(session?.isSeen).toBe(true);
  });

  test('commits the resume and the catching up after it, page by page', async () => {
    const candidate = await TestCandidate.begin(app);
    const first = await read(candidate);
    await candidate.send('m1', 'Rye.');
    await first.until(({ names }) => names.includes('finish'));
    const place = first.of('delta').at(-1)?.id;
    first.close();
    await storeLines(app, candidate.conversationId, MANY_LINES);

    const resumed = await read(candidate, place);
    await resumed.until((told) => told.of('message').length >= MANY_LINES);

    expect(lastUnitOf(STREAM).commits).toEqual([
      'events.open',
      'events.resume',
      'events.catch_up',
      'events.catch_up',
    ]);
  });

  test('shares only the first page after a signal with other readers', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await read(candidate);
    await storeLines(app, candidate.conversationId, MANY_LINES);

    app.get(LiveReplies).changed(candidate.conversationId);
    await reader.until((told) => told.of('message').length >= MANY_LINES);

    expect(lastUnitOf(STREAM).commits).toEqual(['events.open', 'events.catch_up']);
  });

  test('refuses a second commit while one runs', async () => {
    const candidate = await TestCandidate.begin(app);
    await read(candidate);
    const { unit } = lastUnitOf(STREAM);
    const hold = gate();

    const running = unit.commit('test.first', () => hold.opened);
    const second = unit.commit('test.second', () => Promise.resolve());

    await expect(second).rejects.toBeInstanceOf(UnitOfWorkBusyError);
    hold.open();
    await running;
  });
});

describe('the unit of work of /api/chat', () => {
  test('serves the request from its messages to the end of the reply', async () => {
    const candidate = await TestCandidate.begin(app);

    const response = await post(candidate);
    const chat = lastUnitOf(CHAT);
    const isOpenMeanwhile = !isClosed(chat.unit);
    const text = await response.text();
    await untilInProcess('the unit of work is closed', () => isClosed(chat.unit));

    expect(text).toContain('"type":"finish"');
    expect(isOpenMeanwhile).toBe(true);
    expect(unitsOf(CHAT)).toHaveLength(1);
    expect(chat.commits).toEqual(['chat.append', 'chat.status']);
  });

  test('is closed when the client leaves before the reply', async () => {
    const candidate = await TestCandidate.begin(app);
    const leaving = new AbortController();
    const response = await post(candidate, leaving.signal);
    const { unit } = lastUnitOf(CHAT);

    leaving.abort();
    await response.text().catch(() => '');

    await untilInProcess('the unit of work is closed', () => isClosed(unit));
  });
});

test('a request has one unit, for its guard and its handler, closed with its response', async () => {
  const candidate = await TestCandidate.arrive(app);
  seen.splice(0);

  await candidate.view();

  const [request, ...others] = seen;
  expect(others).toEqual([]);
  expect(request?.unit.label).toBe('http GET /api/v1/conversation');
  expect(request?.commits).toEqual(['session.resolve', 'conversation.view']);
  await untilInProcess(
    'the unit of work of the request is closed',
    () => request !== undefined && isClosed(request.unit),
  );
});
