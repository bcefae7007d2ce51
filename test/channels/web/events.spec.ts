import { RetainedMessages, Takeovers } from '../../../src/interview';
import { LiveReplies } from '../../../src/streams';
import {
  AFTER,
  BEFORE,
  STREAMS,
  beginMidReply,
  heldReply,
  storedReply,
  withManyReaders,
} from './mid-reply';
import { closeReaders, readEvents } from './event-source';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

withManyReaders();

describe('the event stream of a conversation', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(STREAMS);
  });

  afterEach(() => {
    closeReaders();
    app.model.release();
  });

  afterAll(() => app.close());

  test('opens with the headers of a stream, a comment, then hello with the state', async () => {
    const candidate = await TestCandidate.begin(app);

    const reader = await readEvents(candidate);

    const { headers } = reader.response;
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(reader.comments).toBe(1);
    expect(reader.frames[0]).toEqual({
      event: 'hello',
      data: {
        conversationId: candidate.conversationId,
        lastSeq: 2,
        status: 'active',
        owner: 'model',
        hasBuffer: false,
        dueAt: null,
        dueInMs: null,
        replying: false,
        transcribing: 0,
        filesArriving: 0,
        interviewStep: 0,
        progress: { question: 1, of: 3, unanswered: [] },
      },
    });
  });

  test('sends a whole exchange once: the message, the states, the reply from start to finish', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    app.model.next(heldReply(BEFORE, AFTER));

    const { id } = (await (await candidate.send('m1', 'Rye.')).json()) as { id: string };
    await reader.until(({ text }) => text === BEFORE);
    app.model.release();
    // The commit's signal may come before the end of the text: then the state is sent before `finish`.
    await reader.until(
      (told) => told.of('finish').length > 0 && told.of('state').at(-1)?.data.interviewStep === 1,
    );

    const reply = await storedReply(candidate);
    const [said] = reader.of('message');
    expect(id).toBe('m1');
    expect(said?.data).toMatchObject({ clientId: 'm1', role: 'user', text: 'Rye.', seq: 3 });
    expect(reader.of('message')).toHaveLength(1);
    expect(reader.of('state')[0]?.data).toMatchObject({ hasBuffer: true, replying: false });
    expect(reader.of('start').map(({ data }) => data.messageId)).toEqual([reply.id]);
    expect(reader.text).toBe(reply.text);
    expect(reader.of('finish').map(({ data }) => data)).toEqual([
      {
        messageId: reply.id,
        seq: reply.seq,
        createdAt: expect.any(String) as string,
        question: { id: 'why', start: reply.text.lastIndexOf('Why bread?') },
      },
    ]);
    expect(reader.of('state').at(-1)?.data).toMatchObject({ replying: false, hasBuffer: false });
  });

  test('keeps finish back until the reply is stored', async () => {
    const { candidate, reader } = await beginMidReply(app);
    await app.commit(async (tx) => {
      await tx.query('select 1 from conversation where id = $1 for update', [
        candidate.conversationId,
      ]);
      app.model.release();
      await reader.until(({ text }) => text.includes(AFTER));
      expect(reader.of('finish')).toEqual([]);
    });

    await reader.until((told) => told.of('finish').length === 1);

    expect(reader.text).toBe((await storedReply(candidate)).text);
  });

  test('gives two readers the identical reply', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const other = await readEvents(candidate);
    await other.until(({ text }) => text === BEFORE);

    app.model.release();
    for (const one of [reader, other]) await one.until((told) => told.of('finish').length > 0);

    const { text } = await storedReply(candidate);
    expect([reader.text, other.text]).toEqual([text, text]);
    expect(other.of('finish')).toEqual(reader.of('finish'));
  });

  test('writes the reply on when its reader has left', async () => {
    const { candidate, reader } = await beginMidReply(app);

    reader.close();
    app.model.release();

    const reply = await storedReply(candidate);
    expect(reply.text.startsWith(BEFORE + AFTER)).toBe(true);
  });

  test('starts a reply again under the same message id when its generation broke off', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    const half = heldReply(BEFORE, AFTER);
    app.model.next({ kind: 'cut', content: half.kind === 'hold' ? half.content : '' });

    await candidate.send('m1', 'Rye.');
    await reader.until((told) => told.of('finish').length === 1);

    const starts = reader.of('start').map(({ data }) => data);
    expect(starts).toHaveLength(2);
    expect(starts[1]?.messageId).toBe(starts[0]?.messageId);
    expect(Number(starts[1]?.epoch)).toBeGreaterThan(Number(starts[0]?.epoch));
    expect(reader.text).toBe((await storedReply(candidate)).text);
  });

  test('cuts the reader of a reply that will not be finished', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    const live = app.get(LiveReplies);
    const reply = live.mirror({
      conversationId: candidate.conversationId,
      turnId: '1',
      answerIds: [],
      messageId: 'half',
      epoch: 1,
    });
    reply.append('Half of it');
    await reader.until(({ text }) => text === 'Half of it');

    reply.breakOff();
    live.changed(candidate.conversationId);

    expect(await reader.ended()).toBe('cut');
    expect(reader.of('finish')).toEqual([]);
  });

  test('does not cut a reader whose reply is stored before its second epoch has sent its text', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    const { conversationId } = candidate;
    const live = app.get(LiveReplies);
    const origin = { conversationId, turnId: '1', answerIds: [], messageId: 'twice' };
    const first = live.mirror({ ...origin, epoch: 1 });
    first.append('Half of it');
    await reader.until(({ text }) => text === 'Half of it');
    first.breakOff();
    const second = live.mirror({ ...origin, epoch: 2 });
    second.addParts({ type: 'agent', agent: 'technical' });
    await reader.until((told) => told.of('part').length === 1);

    // The rows of the finished reply are read: nothing is being replied to any more.
    await app.commit((tx) => app.get(Takeovers).reply(tx, conversationId, 'Shall we talk?'));
    await reader.until((told) => told.of('message').length === 1);
    second.append('All of it.');
    second.close({ seq: 4, createdAt: new Date(), isPartial: false, question: null });
    await reader.until((told) => told.of('finish').length === 1);

    expect(reader.text).toBe('All of it.');
  });

  test('cuts the reader of a reply that is dropped because a person has taken over', async () => {
    const { candidate, reader } = await beginMidReply(app);
    const takeovers = app.get(Takeovers);
    await app.commit((tx) => takeovers.reply(tx, candidate.conversationId, 'Shall we talk?'));
    await reader.until((told) =>
      told.of('message').some(({ data }) => data.text === 'Shall we talk?'),
    );

    app.model.release();

    expect(await reader.ended()).toBe('cut');
    expect(reader.of('finish')).toEqual([]);
  });

  test('sends a line that is kept for a person', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    const { conversationId } = candidate;
    const line = {
      channel: 'web',
      externalId: 'kept',
      text: 'A sticker',
      attachment: null,
    } as const;
    const retained = app.get(RetainedMessages);

    await app.commit((tx) => retained.keep(tx, { conversationId, ...line }));

    await reader.until((told) => told.of('message').some(({ data }) => data.text === 'A sticker'));
    expect(reader.of('message')).toHaveLength(1);
  });

  test('sends the message when the reply was stored but its end was not signalled', async () => {
    const candidate = await TestCandidate.begin(app);
    const reader = await readEvents(candidate);
    const live = app.get(LiveReplies);
    const messageId = '00000000-0000-7000-8000-000000000001';
    const reply = live.mirror({
      conversationId: candidate.conversationId,
      turnId: '1',
      answerIds: [],
      messageId,
      epoch: 1,
    });
    reply.append('All of it');
    await app.commit(async (tx) => {
      const { conversationId } = candidate;
      await tx.query(
        `with numbered as (update conversation set last_seq = last_seq + 1 where id = $2
           returning last_seq)
         insert into message (id, conversation_id, seq, role, channel, external_id, text,
           received_at)
         select $1, $2, last_seq, 'assistant', 'code', 'x', 'All of it', now() from numbered`,
        [messageId, conversationId],
      );
    });
    live.changed(candidate.conversationId);
    await reader.until(({ text }) => text === 'All of it');

    reply.breakOff();
    await reader.until((told) => told.of('message').length === 1);

    expect(reader.of('message')[0]?.data).toMatchObject({ id: messageId, text: 'All of it' });
  });

  test('is refused without a session', async () => {
    const response = await fetch(`${app.url}/api/v1/conversation/events`);

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'session_unknown' });
  });
});
