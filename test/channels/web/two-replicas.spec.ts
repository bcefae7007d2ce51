import fc from 'fast-check';
import { DefaultChatTransport } from 'ai';
import { LiveReplies, ReplyMirrors } from '../../../src/streams';
import { giveBack, takeAway } from '../../support/outside';
import { untilInProcess } from '../../support/until';
import { chunksOf, deltasOf, messageOf, said, textOf } from './chat-client';
import {
  AFTER,
  BEFORE,
  STREAMS,
  heldReply,
  idAt,
  placeOf,
  storedReply,
  withManyReaders,
} from './mid-reply';
import { type EventSourceReader, closeReaders, readEvents } from './event-source';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

withManyReaders();

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startTestApp(STREAMS);
  other = await startReplica(app, { isWorking: false });
});

afterEach(() => {
  jest.restoreAllMocks();
  closeReaders();
  app.model.release();
});

afterAll(() => app.close());

/** A reply that is held after its first half, and a reader of it on the wrong replica. */
async function midReply(): Promise<{ candidate: TestCandidate; reader: EventSourceReader }> {
  const candidate = await TestCandidate.begin(app);
  const reader = await readEvents(candidate.at(other));
  app.model.next(heldReply(BEFORE, AFTER));
  await candidate.send('m1', 'Rye.');
  await reader.until(({ text }) => text === BEFORE);
  return { candidate, reader };
}

function transportAt(url: string, candidate: TestCandidate) {
  return new DefaultChatTransport({ api: `${url}/api/chat`, headers: candidate.headers });
}

describe('a reader on a replica that does not write the reply', () => {
  test('gets it as it grows, and its end only after it is stored', async () => {
    const { candidate, reader } = await midReply();
    expect(reader.of('finish')).toEqual([]);

    app.model.release();
    await reader.until((told) => told.of('finish').length === 1);

    const { id, text } = await storedReply(candidate);
    expect(reader.text).toBe(text);
    expect(reader.of('start')).toHaveLength(1);
    expect(reader.of('finish')[0]?.data.messageId).toBe(id);
    expect(reader.of('message').map(({ data }) => data.role)).toEqual(['user']);
    expect(await segmentsOf(candidate)).toEqual([]);
  });

  test('that comes in the middle reads the earlier text from its rows', async () => {
    const { candidate } = await midReply();

    const late = await readEvents(candidate.at(other));
    await late.until(({ text }) => text === BEFORE);
    app.model.release();
    await late.until((told) => told.of('finish').length === 1);

    expect(late.text).toBe((await storedReply(candidate)).text);
  });

  test('resumes inside the reply at either replica, wherever it was cut', async () => {
    const { candidate, reader } = await midReply();
    const place = placeOf(reader);
    const points = Array.from(BEFORE);
    const cuts = fc.sample(fc.tuple(fc.nat(points.length), fc.boolean()), {
      numRuns: 30,
      seed: 11,
    });
    const resumed = await Promise.all(
      cuts.map(async ([count, isOther]) => {
        const cut = points.slice(0, count).join('');
        const at = isOther ? other : app;
        return {
          cut,
          reader: await readEvents(candidate.at(at), idAt(place, cut.length)),
        };
      }),
    );

    app.model.release();
    for (const one of resumed) await one.reader.until((told) => told.of('finish').length === 1);

    const { text } = await storedReply(candidate);
    for (const one of resumed) expect(one.cut + deltaText(one.reader)).toBe(text);
  });

  /** As for a reader that connects before the text of the first second is stored. */
  async function forgetText(candidate: TestCandidate): Promise<void> {
    const isStored = async (): Promise<boolean> =>
      (await segmentsOf(candidate)).join('') === BEFORE;
    await untilInProcess('the text so far is stored', isStored);
    await app.commit((tx) =>
      tx.query(
        `delete from turn_segment s using turn u
         where u.id = s.turn_id and u.conversation_id = $1`,
        [candidate.conversationId],
      ),
    );
  }

  test('resumes inside the reply at a replica that has not mirrored it so far yet', async () => {
    const { candidate, reader } = await midReply();
    const place = placeIn(reader);
    reader.close();
    await forgetText(candidate);
    await untilInProcess(
      'nobody watches the reply',
      () => !other.get(LiveReplies).isWatched(candidate.conversationId),
    );
    other.get(ReplyMirrors).tend();

    const resumed = await readEvents(candidate.at(other), place);
    app.model.release();
    await resumed.until((told) => told.of('finish').length === 1);

    expect(resumed.of('start')).toEqual([]);
    expect(BEFORE + deltaText(resumed)).toBe((await storedReply(candidate)).text);
  });

  test('sends the whole reply to a reader whose place is beyond its end', async () => {
    const { candidate, reader } = await midReply();
    const place = placeOf(reader);

    const resumed = await readEvents(candidate.at(other), idAt(place, 100_000));
    app.model.release();
    await resumed.until((told) => told.of('finish').length === 1);

    expect(resumed.of('start')).toHaveLength(1);
    expect(resumed.text).toBe((await storedReply(candidate)).text);
  });

  test('loses nothing when the connections for notices are cut during a reply', async () => {
    const { candidate, reader } = await midReply();

    expect(await cutNotices()).toBe(2);
    app.model.release();
    await reader.until((told) => told.of('finish').length === 1);

    expect(reader.text).toBe((await storedReply(candidate)).text);
  });

  test('gets the whole reply when the database fails in the middle of it and returns', async () => {
    const { candidate, reader } = await midReply();

    await takeAway(app.databaseUrl);
    app.model.release();
    const ready = (): Promise<Response> => fetch(`${app.url}/health/ready`);
    await untilInProcess('the database is missed', async () => (await ready()).status !== 200);
    await giveBack(app.databaseUrl);
    const whole = await reader.until((told) => told.of('finish').length === 1).catch(() => null);

    const { text } = await storedReply(candidate);
    // A reader that was cut reconnects, so half a reply is never taken as complete.
    const last = whole ?? (await readEvents(candidate.at(other), placeIn(reader)));
    await last.until((told) => told.of('finish').length === 1);
    expect(last === reader ? reader.text : BEFORE + deltaText(last)).toBe(text);
  });

  test('stops the reply, and the text so far is stored and marked', async () => {
    const { candidate, reader } = await midReply();

    const response = await candidate.at(other).post('stop');
    await reader.until((told) => told.of('finish').length === 1);

    expect(response.status).toBe(202);
    expect(reader.text).toBe(BEFORE);
    expect(reader.of('finish')[0]?.data.partial).toBe(true);
    const view = await candidate.waitFor(({ replying, hasBuffer }) => !replying && !hasBuffer);
    expect(view).toMatchObject({ interviewStep: 0 });
    expect(view.messages.at(-1)).toMatchObject({ text: BEFORE, partial: true });
  });

  test('gets a reply larger than one notice, byte for byte', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate.at(other));
    const text = 'Ещё 👩‍🚀 раз. '.repeat(1500).trimEnd();
    app.model.next(heldReply(text, AFTER));

    await candidate.send('m1', 'Rye.');
    await reader.until((told) => told.text === text);
    app.model.release();
    await reader.until((told) => told.of('finish').length === 1);

    const stored = await storedReply(candidate);
    expect(stored.text.length).toBeGreaterThan(15_000);
    expect(Buffer.from(reader.text)).toEqual(Buffer.from(stored.text));
  });

  test('gets a reply as a message that was stored before its beginning could be read', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate.at(other));
    const mirrors = other.get(ReplyMirrors);
    const follow = mirrors.follow.bind(mirrors);
    let read = (): void => undefined;
    const mayRead = new Promise<void>((resolve) => (read = resolve));
    jest.spyOn(mirrors, 'follow').mockImplementation((id) => mayRead.then(() => follow(id)));

    await candidate.send('m1', 'Rye.');
    const { id, text } = await storedReply(candidate);
    read();
    await reader.until((told) => told.of('message').length === 2);

    expect(reader.of('message')[1]?.data).toMatchObject({ id, text });
    expect(reader.of('start')).toEqual([]);
    expect(reader.of('finish')).toEqual([]);
  });
});

describe('a client of the AI SDK on a replica that does not write the reply', () => {
  test('posts, and streams the reply as it grows', async () => {
    const candidate = await TestCandidate.begin(app);
    app.model.next(heldReply(BEFORE, AFTER));
    const stream = await transportAt(other.url, candidate).sendMessages({
      trigger: 'submit-message',
      chatId: candidate.conversationId,
      messageId: undefined,
      messages: [said('m1', 'Rye.')],
      abortSignal: undefined,
    });
    const [whole, watched] = stream.tee();
    const reader = watched.getReader();
    while ((await reader.read()).value?.type !== 'text-delta');
    app.model.release();

    expect(textOf(await messageOf(whole))).toBe((await storedReply(candidate)).text);
  });

  test('ends when a newer request of its chat waits for the reply at another replica', async () => {
    const candidate = await TestCandidate.begin(app);
    const post = (url: string, ...messages: ReturnType<typeof said>[]) =>
      transportAt(url, candidate).sendMessages({
        trigger: 'submit-message',
        chatId: 'a chat',
        messageId: undefined,
        messages,
        abortSignal: undefined,
      });
    const [first, second] = [said('m1', 'Rye.'), said('m2', 'And wheat.')];
    const older = await post(other.url, first);
    await candidate.post('activity', { type: 'typing' });
    const newer = await post(app.url, first, second);
    const chunks = await chunksOf(older);
    await candidate.post('done');

    expect(chunks).toEqual([{ type: 'data-superseded', data: {}, transient: true }]);
    expect(textOf(await messageOf(newer))).toBe((await storedReply(candidate)).text);
  });

  test('resumes from the start under the same message id, then gets 204', async () => {
    const { candidate, reader } = await midReply();
    const transport = transportAt(other.url, candidate);
    const resuming = transport.reconnectToStream({ chatId: candidate.conversationId });
    const chunks = chunksOf((await resuming) ?? new ReadableStream());
    app.model.release();

    const { id, text } = await storedReply(candidate);
    expect(deltasOf(await chunks)).toBe(text);
    expect((await chunks)[0]).toMatchObject({ type: 'start', messageId: id });
    expect(reader.of('start')[0]?.data.messageId).toBe(id);
    expect(await transport.reconnectToStream({ chatId: candidate.conversationId })).toBeNull();
  });
});

/** Where a reader was when it was cut. */
function placeIn(reader: EventSourceReader): string {
  return reader.of('delta').at(-1)?.id ?? '';
}

function deltaText(reader: EventSourceReader): string {
  return reader
    .of('delta')
    .map(({ data }) => String(data.text))
    .join('');
}

/** What is stored of the replies of a conversation so far. */
async function segmentsOf({ conversationId }: TestCandidate): Promise<string[]> {
  const rows = await app.sql<{ text: string }>(
    `select s.text from turn_segment s join turn u on u.id = s.turn_id
     where u.conversation_id = $1 order by s.turn_id, s.epoch, s.start_at`,
    [conversationId],
  );
  return rows.map(({ text }) => text);
}

/** Ends every connection for notices; both replicas connect again. Returns how many it ended. */
async function cutNotices(): Promise<number> {
  const rows = await app.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy-notices'`,
  );
  return rows.length;
}
