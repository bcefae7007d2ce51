import { AFTER, BEFORE, STREAMS, heldReply, storedReply, withManyReaders } from './mid-reply';
import {
  type EventSourceReader,
  type Frame,
  closeReaders,
  readEvents,
  watchEvents,
} from './event-source';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { ADMIN_TOKEN } from '../../support/secrets';

withManyReaders();

describe('a recruiter who watches an interview', () => {
  let app: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    app = await startTestApp(STREAMS);
    other = await startReplica(app, { isWorking: false });
  });

  afterEach(() => {
    closeReaders();
    app.model.release();
  });

  afterAll(() => app.close());

  /** Sends an answer whose reply is held after its first half, and waits until all have that. */
  async function sayAndHearHalf(
    candidate: TestCandidate,
    readers: readonly EventSourceReader[],
  ): Promise<void> {
    app.model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    for (const reader of readers) await reader.until(({ text }) => text === BEFORE);
  }

  function ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${app.url}/api/v1/admin/conversations/${path}/events`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      ...init,
    });
  }

  test('gets the stored reply byte for byte on either replica, like both tabs of the candidate', async () => {
    const candidate = await TestCandidate.begin(app);
    const tabs = [await readEvents(candidate), await readEvents(candidate.at(other))];
    const watchers = [await watchEvents(app, candidate), await watchEvents(other, candidate)];
    await sayAndHearHalf(candidate, [...tabs, ...watchers]);
    for (const at of [app, other]) watchers.push(await watchEvents(at, candidate));
    app.model.release();
    const all = [...tabs, ...watchers];
    for (const one of all) await one.until((told) => told.of('finish').length === 1);

    const { id, text } = await storedReply(candidate);
    for (const one of all) {
      expect(Buffer.from(deltasOf(one))).toEqual(Buffer.from(text));
      expect(dataOf(one.of('start'))).toEqual(dataOf(tabs[0]?.of('start')));
      expect(one.of('finish')).toEqual(tabs[0]?.of('finish'));
    }
    expect(tabs[0]?.of('finish')[0]?.data.messageId).toBe(id);
    for (const one of [...tabs, ...watchers.slice(0, 2)]) {
      expect(one.frames[0]).toEqual(tabs[0]?.frames[0]);
      expect(one.of('message')).toEqual(tabs[0]?.of('message'));
      expect(one.of('message').map(({ data }) => data.text)).toEqual(['Rye.']);
    }
  });

  test('gets it too as the only reader on a replica that does not write the reply', async () => {
    const candidate = await TestCandidate.begin(app);
    const watcher = await watchEvents(other, candidate);
    await sayAndHearHalf(candidate, [watcher]);
    expect(watcher.of('finish')).toEqual([]);

    app.model.release();
    await watcher.until((told) => told.of('finish').length === 1);

    expect(deltasOf(watcher)).toBe((await storedReply(candidate)).text);
  });

  test.each(['writing', 'other'] as const)(
    'resumes at the %s replica after a cut, before and after the end of the reply',
    async (where) => {
      const at = where === 'other' ? other : app;
      const candidate = await TestCandidate.begin(app);
      const watcher = await watchEvents(other, candidate);
      await sayAndHearHalf(candidate, [watcher]);
      const place = watcher.of('delta').at(-1)?.id;
      watcher.close();
      expect(await watcher.ended()).toBe('cut');

      const inside = await watchEvents(at, candidate, place);
      app.model.release();
      await inside.until((told) => told.of('finish').length === 1);
      const after = await watchEvents(at, candidate, place);
      await after.until((told) => told.of('finish').length === 1);

      const { text } = await storedReply(candidate);
      for (const resumed of [inside, after]) {
        expect(resumed.of('start')).toEqual([]);
        expect(Buffer.from(BEFORE + deltasOf(resumed))).toEqual(Buffer.from(text));
      }
    },
  );

  test('gets the live reply also when the id is in capitals', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;

    const watcher = await watchEvents(app, {
      conversationId: conversationId.toUpperCase(),
    });
    await sayAndHearHalf(candidate, [watcher]);

    expect(watcher.frames[0]?.data.conversationId).toBe(conversationId);
  });

  test('is refused without the admin token, with a wrong one, and with a session of the candidate', async () => {
    const candidate = await TestCandidate.begin(app);

    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${candidate.token}` },
      { cookie: `colloquy_session=${candidate.token}` },
    ]) {
      const refused = await ask(candidate.conversationId, { headers });

      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect(await refused.json()).toMatchObject({ code: 'admin_token_wrong' });
    }
  });

  test('gets 401 when no admin token is set', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    const off = await startReplica(app, { env: {}, isWorking: false });
    try {
      const refused = await fetch(
        `${off.url}/api/v1/admin/conversations/${conversationId}/events`,
        { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
      );

      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ code: 'admin_api_off' });
    } finally {
      await off.close();
    }
  });

  test.each(['00000000-0000-7000-8000-000000000000', 'nobody', "1'--"])(
    'is told that %s names no conversation',
    async (id) => {
      const refused = await ask(id);

      expect(refused.status).toBe(404);
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect(await refused.json()).toMatchObject({ code: 'conversation_unknown' });
    },
  );
});

/** Appended and not placed by their offsets, so that a gap or a repetition shows. */
/** What the frames say. Their ids differ when a reader got the text before the messages before it. */
function dataOf(frames: readonly Frame[] | undefined): unknown[] {
  return frames?.map(({ data }) => data) ?? [];
}

function deltasOf(reader: EventSourceReader): string {
  return reader
    .of('delta')
    .map(({ data }) => String(data.text))
    .join('');
}
