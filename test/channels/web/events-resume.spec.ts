import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type LiveReply, LiveReplies } from '../../../src/streams';
import {
  BEFORE,
  STREAMS,
  beginMidReply,
  idAt,
  placeOf,
  storeLines,
  storeReply,
  storedReply,
  withManyReaders,
} from './mid-reply';
import { type EventSourceReader, closeReaders, openEvents, readEvents } from './event-source';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

withManyReaders();

describe('a reader of events that comes back', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(STREAMS);
  });

  afterEach(() => {
    closeReaders();
    app.model.release();
  });

  afterAll(() => app.close());

  test('resumes inside a running reply without a gap or a repetition, wherever it was cut', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const place = placeOf(reader);
    const cuts = fc.sample(cutOf(BEFORE), { numRuns: 25, seed: 7 });
    const resumed = await Promise.all(
      cuts.map((cut) => readEvents(candidate, idAt(place, cut.length))),
    );

    app.model.release();
    for (const one of resumed) await one.until((told) => told.of('finish').length === 1);

    const { text } = await storedReply(candidate);
    for (const [index, cut] of cuts.entries()) {
      expect(Buffer.from(cut + deltasOf(resumed[index]))).toEqual(Buffer.from(text));
      expect(resumed[index]?.of('start')).toHaveLength(cut === '' ? 1 : 0);
    }
  });

  test('resumes inside a stored reply with the rest of it, wherever it was cut', async () => {
    const { candidate, reader } = await beginMidReply(app);
    app.model.release();
    const { id, text } = await storedReply(candidate);
    const place = placeOf(reader);

    await fc.assert(
      fc.asyncProperty(cutOf(text), async (cut) => {
        const resumed = await readEvents(candidate, idAt(place, cut.length));
        await resumed.until((told) => told.of('finish').length === 1);
        resumed.close();
        expect(Buffer.from(cut + deltasOf(resumed))).toEqual(Buffer.from(text));
        expect(resumed.of('start')).toHaveLength(cut === '' ? 1 : 0);
        expect(resumed.of('finish')[0]?.data.messageId).toBe(id);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['alone', {}],
    ['beside an empty header', { 'last-event-id': '' }],
  ])('resumes by the id in its query, %s', async (_, more) => {
    const { candidate, reader } = await beginMidReply(app);
    app.model.release();
    const { text } = await storedReply(candidate);
    const id = idAt(placeOf(reader), BEFORE.length);

    const resumed = await openEvents(candidate, `?lastEventId=${id}`, more);
    await resumed.until((told) => told.of('finish').length === 1);

    expect(resumed.of('start')).toEqual([]);
    expect(BEFORE + deltasOf(resumed)).toBe(text);
  });

  test('goes by the header when the query has another id', async () => {
    const { candidate, reader } = await beginMidReply(app);
    app.model.release();
    const { text } = await storedReply(candidate);
    const place = placeOf(reader);

    const inHeader = { 'last-event-id': idAt(place, BEFORE.length) };
    const resumed = await openEvents(candidate, `?lastEventId=${idAt(place, 3)}`, inHeader);
    await resumed.until((told) => told.of('finish').length === 1);

    expect(BEFORE + deltasOf(resumed)).toBe(text);
  });

  test.each([
    ['no id', 'lastEventId=%27%20or%201', 1],
    ['two ids', 'lastEventId=1.1.1.1&lastEventId=1.1.1.2', 1],
    ['an id of another conversation', 'lastEventId=999999.1.3.4', 1],
    ['nothing', 'lastEventId=', 0],
  ])('with %s in its query starts as with the same in its header', async (_, query, starts) => {
    const { candidate } = await beginMidReply(app);
    app.model.release();
    const { text } = await storedReply(candidate);

    const resumed = await openEvents(candidate, `?${query}`);
    if (starts > 0) await resumed.until((told) => told.of('finish').length === 1);

    expect(resumed.of('start')).toHaveLength(starts);
    expect(deltasOf(resumed)).toBe(starts > 0 ? text : '');
  });

  test('sends a reader that missed a whole turn everything after its place', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const place = placeOf(reader);
    reader.close();
    app.model.release();
    const first = await storedReply(candidate);
    await candidate.answer('m2', 'Wheat.');

    const resumed = await readEvents(candidate, idAt(place, BEFORE.length));
    await resumed.until((told) => told.of('message').length === 2);

    expect(BEFORE + deltasOf(resumed)).toBe(first.text);
    expect(resumed.of('message').map(({ data }) => [data.role, data.clientId])).toEqual([
      ['user', 'm2'],
      ['assistant', null],
    ]);
  });

  test.each([
    ['runs', false],
    ['is stored', true],
  ])('sends messages that text of a reply has overtaken, while it %s', async (_, isStored) => {
    const { candidate, reader } = await beginMidReply(app);
    const place = placeOf(reader);
    reader.close();
    await storeLines(app, candidate.conversationId, 3);
    if (isStored) {
      app.model.release();
      await storedReply(candidate);
    }

    const resumed = await readEvents(candidate, idAt(place, BEFORE.length));
    await resumed.until((told) => told.of('message').length === 3);
    app.model.release();
    await resumed.until((told) => told.of('finish').length === 1);

    const { id, text } = await storedReply(candidate);
    expect(resumed.of('message').map(({ data }) => data.text)).toEqual([
      'line 1',
      'line 2',
      'line 3',
    ]);
    expect(resumed.of('finish').map(({ data }) => data.messageId)).toEqual([id]);
    expect(BEFORE + deltasOf(resumed)).toBe(text);
  });

  test('sends a stored reply whose older attempt breaks off here while the next reply begins', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;
    const replyId = randomUUID();
    const live = app.get(LiveReplies);
    const attempt = (turnId: string, messageId: string): LiveReply =>
      live.mirror({ conversationId, turnId, answerIds: [], messageId, epoch: 1 });
    const stale = attempt('1', replyId);
    const reader = await readEvents(candidate);
    stale.append('Half');
    await reader.until(({ text }) => text === 'Half');
    // Another replica stores the reply, and a message after it.
    await storeReply(app, conversationId, replyId);
    await storeLines(app, conversationId, 1);
    live.changedElsewhere(conversationId);
    await reader.until((told) => told.of('message').length === 1);
    stale.append(' of it');
    await reader.until(({ text }) => text === 'Half of it');
    const lastId = reader.of('delta').at(-1)?.id;
    reader.close();

    const resumed = await readEvents(candidate, lastId);
    stale.breakOff();
    const next = attempt('2', randomUUID());
    next.append('The next one');
    live.changedElsewhere(conversationId);
    await resumed.until(({ text }) => text === 'The next one');
    next.breakOff();
    await resumed.until((told) => told.of('message').some(({ data }) => data.id === replyId));
  });

  test('does not begin a reply again whose line it has sent', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;
    const replyId = randomUUID();
    const live = app.get(LiveReplies);
    const reader = await readEvents(candidate);
    await storeReply(app, conversationId, replyId);
    live.changedElsewhere(conversationId);
    await reader.until((told) => told.of('message').some(({ data }) => data.id === replyId));

    const attempt = (turnId: string, messageId: string): LiveReply =>
      live.mirror({ conversationId, turnId, answerIds: [], messageId, epoch: 1 });
    const stale = attempt('1', replyId);
    stale.append('Half');
    stale.breakOff();
    attempt('2', randomUUID()).append('The next one');

    await reader.until(({ text }) => text === 'The next one');
    expect(reader.of('start').filter(({ data }) => data.messageId === replyId)).toEqual([]);
  });

  test('is cut inside a reply that breaks off when another one begins, and gets the rest of it by its id', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;
    const replyId = randomUUID();
    await storeReply(app, conversationId, replyId);
    const [turn] = await app.sql<{ id: string }>(
      `insert into turn (answer_id, conversation_id, interview_step, channel, state,
         message_count, reply_message_id, reply_text, started_at)
       values (-7, $1, 0, 'web', 'delivered', 1, $2, 'Half of it is stored elsewhere', now())
       returning id`,
      [conversationId, replyId],
    );
    const turnId = turn?.id ?? '';
    const live = app.get(LiveReplies);
    const attempt = (of: string, messageId: string): LiveReply =>
      live.mirror({ conversationId, turnId: of, answerIds: [], messageId, epoch: 1 });
    const stale = attempt(turnId, replyId);
    stale.append('Half');
    // The reader has had the line already.
    const reader = await readEvents(candidate, `${turnId}.1.2.999`);
    await reader.until((told) => told.of('delta').length === 1);

    stale.breakOff();
    const next = attempt('999999', randomUUID());
    next.append('The next one');

    expect(await reader.ended()).toBe('cut');
    const resumed = await readEvents(candidate, reader.of('delta').at(-1)?.id);
    await resumed.until(({ text }) => text === 'The next one');
    expect(resumed.of('finish').map(({ data }) => data.messageId)).toEqual([replyId]);
    next.breakOff();
  });

  test('sends a stored reply whose older attempt is dropped here before its first word', async () => {
    const candidate = await TestCandidate.begin(app);
    const { conversationId } = candidate;
    const replyId = randomUUID();
    const live = app.get(LiveReplies);
    const stale = live.mirror({
      conversationId,
      turnId: '1',
      answerIds: [],
      messageId: replyId,
      epoch: 1,
    });
    const reader = await readEvents(candidate);
    // Another replica stores the reply, and a message after it: its own line waits for the attempt.
    await storeReply(app, conversationId, replyId);
    await storeLines(app, conversationId, 1);
    live.changedElsewhere(conversationId);
    await reader.until((told) => told.of('message').length === 1);

    stale.close(null);

    await reader.until((told) => told.of('message').some(({ data }) => data.id === replyId));
    expect(reader.of('message')).toHaveLength(2);
  });

  test('sends the reply from its start for a place in an older epoch', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const { epoch, ...place } = placeOf(reader);

    const resumed = await readEvents(candidate, idAt({ ...place, epoch: epoch - 1 }, 5));
    await resumed.until(({ text }) => text === BEFORE);

    expect(resumed.of('start')[0]?.data.messageId).toBe(reader.of('start')[0]?.data.messageId);
    expect(resumed.names).toEqual(['hello', 'part', 'start', 'delta']);
  });

  test('sends the running reply from its start for a place beyond its end', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const resumed = await readEvents(candidate, idAt(placeOf(reader), BEFORE.length + 1));
    await resumed.until(({ text }) => text === BEFORE);

    expect(resumed.names).toEqual(['hello', 'part', 'start', 'delta']);
  });

  test.each([
    ['foreign', () => '999999999.1.3'],
    ['future', (turn: string) => `${turn}.1.99999.99999`],
    ['older', (turn: string) => `${turn}.0.5`],
    ['malformed', () => 'no such place'],
    ['huge', () => `${'9'.repeat(40)}.1.1`],
  ])('sends the last reply from its start for an id that is %s', async (_, idOf) => {
    const { candidate, reader } = await beginMidReply(app);
    app.model.release();
    const { id, text } = await storedReply(candidate);

    const resumed = await readEvents(candidate, idOf(placeOf(reader).turn));
    await resumed.until((told) => told.of('finish').length === 1);

    expect(resumed.of('start').map(({ data }) => data.messageId)).toEqual([id]);
    expect(resumed.text).toBe(text);
  });

  test("never resumes by an id of another conversation's reply", async () => {
    const { reader } = await beginMidReply(app);
    const place = placeOf(reader);
    app.model.release();
    const other = await beginMidReply(app);

    const resumed = await readEvents(other.candidate, idAt(place, 4));
    await resumed.until(({ text }) => text === BEFORE);

    expect(resumed.names).toEqual(['hello', 'part', 'start', 'delta']);
  });
});

/** The text up to a whole code point. */
function cutOf(text: string): fc.Arbitrary<string> {
  const points = Array.from(text);
  return fc.nat(points.length).map((count) => points.slice(0, count).join(''));
}

function deltasOf(reader: EventSourceReader | undefined): string {
  return (reader?.of('delta') ?? []).map(({ data }) => String(data.text)).join('');
}
