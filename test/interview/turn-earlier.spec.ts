import { AttentionService } from '../../src/attention';
import { textsOf } from '../../src/interview/texts/texts';
import { replyWith } from '../../tools/fake-model/model-server';
import { type ReplyData, replyDataOf } from '../../tools/fake-model/reply-data';
import { untilInProcess } from '../support/until';
import { startInterviews, closeInterviews, words, pause, work, settled, live } from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import { LiveReplies } from '../../src/streams';
import { QueueBreakers } from '../../src/jobs';
import { JobWakeSignal } from '../../src/jobs/jobs.service';
import { ExpirySweep } from '../../src/buffer/flush';
import type { TestApp } from '../support/app';

/** Answers that depend on another answer of the conversation: additions, merges and replays. */

const TTL_MS = 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({ env: { INTERVIEW_BUFFER_TTL: '60' } });
});

afterAll(() => closeInterviews(app));

const TEXTS = textsOf('en');
const HELD = { kind: 'hold', content: '', rest: '{"verdict":"answered","text":"Ok."}' } as const;

function lastPrompt(): ReplyData {
  const { messages } = app.model.requests.at(-1)?.body ?? { messages: [] };
  return replyDataOf(messages.at(-1)?.content);
}

/** An answer that failed once, then waited for the model until it expired. */
async function endedByOutage(candidate: Interviewee, text: string): Promise<string> {
  app.model.next({ kind: 'completion', content: '' }, { kind: 'status', status: 503 });
  const answerId = await candidate.answer(text);
  await live(app, 1000);
  expect((await candidate.attempts()).slice(-2)).toEqual(['empty', 'unavailable']);
  app.clock.advance(TTL_MS);
  // Another answer finds that the model responds before this one is tried again.
  app.get(QueueBreakers).allowance('flush');
  app.get(QueueBreakers).peerResponded('flush', 'another');
  await app.get(ExpirySweep).run();
  expect((await candidate.turns()).at(-1)).toMatchObject({ state: 'expired', error: 'outage' });
  return answerId;
}

/** An answer that is given up because of its own content. */
async function endedByItself(candidate: Interviewee, text: string): Promise<string> {
  const answerId = await candidate.say(text);
  pause(app);
  await app.sql(`update job set state = 'running', claim_no = 1, failures = 5 where id = $1`, [
    answerId,
  ]);
  await app.sql('update job set due_at = $2 where id = $1', [answerId, app.clock.now()]);
  await work(app);
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  return answerId;
}

function replay(candidate: Interviewee): Promise<unknown> {
  const attention = app.get(AttentionService);
  return app.commit(async (tx) => {
    const items = await attention.list(tx, { limit: 200 });
    const item = items.find(({ conversationId }) => conversationId === candidate.id);
    return attention.replay(tx, item?.id ?? '0', 'Nora');
  });
}

describe('an addition to the previous answer', () => {
  test('that consists of messages from before the reply changes neither the question nor the push-back', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD, replyWith('vague', 'Noted.'));
    await candidate.start(app, words());
    const early = words('one more thing');
    await candidate.say(early);
    app.model.release();
    await settled(app);

    pause(app);
    await work(app);

    expect(lastPrompt().answer).toBe(early);
    expect(await candidate.state()).toMatchObject({ question: 1, pushedBack: false });
    const reply = (await candidate.replies())[1] ?? '';
    expect(TEXTS.questionAbove.some((one) => reply.endsWith(one))).toBe(true);
    expect((await candidate.state()).metadata['questionAnswers']).toHaveLength(1);
  });

  test('adds also when it was sent while the stored reply was still being delivered', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words());
    await candidate.say(words('one more thing'));
    // The reply was stored a second before the message, and delivered a second after it.
    await app.sql(
      `update turn set replied_at = replied_at - interval '1 second',
         completed_at = completed_at + interval '1 second'
       where conversation_id = $1`,
      [candidate.id],
    );

    pause(app);
    await work(app);

    expect(await candidate.state()).toMatchObject({ question: 1, pushedBack: false });
    const reply = (await candidate.replies())[1] ?? '';
    expect(TEXTS.questionAbove.some((one) => reply.endsWith(one))).toBe(true);
  });

  test('counts as an answer when one of its messages is newer than the reply', async () => {
    const candidate = await newCandidate(app);
    app.model.next(HELD);
    await candidate.start(app, words());
    await candidate.say(words('early'));
    app.model.release();
    await settled(app);
    await candidate.say(words('late'));

    pause(app);
    await work(app);

    expect(await candidate.state()).toMatchObject({ question: 2 });
    // Whether each message came before the reply is kept.
    expect(
      await app.sql(
        `select before_reply as early from message
         where conversation_id = $1 and role = 'user' order by seq`,
        [candidate.id],
      ),
    ).toEqual([{ early: false }, { early: true }, { early: false }]);
  });
});

describe('an answer that an outage ended', () => {
  test('goes to a person, and the candidate gets a notice', async () => {
    const candidate = await newCandidate(app);

    await endedByOutage(candidate, words());

    expect(await candidate.attention()).toMatchObject([{ kind: 'expired', closed: false }]);
    expect(await candidate.notices()).toEqual([TEXTS.leftToPerson]);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('is merged into the next one: one request with both texts, one reply, no open item', async () => {
    const candidate = await newCandidate(app);
    const [left, next] = [words('left'), words('next')];
    await endedByOutage(candidate, left);

    await candidate.answer(next);

    expect(lastPrompt().answer).toBe(`${left}\n\n${next}`);
    const [first, second] = await candidate.turns();
    expect(first).toMatchObject({ state: 'merged', merged_into: second?.id });
    expect(second).toMatchObject({ state: 'delivered' });
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.state()).toMatchObject({ question: 1 });
    expect(await candidate.attention()).toMatchObject([{ kind: 'expired', closed: true }]);
  });

  test('stays part of the next one when the next one is retried', async () => {
    const candidate = await newCandidate(app);
    const [left, next] = [words('left'), words('next')];
    await endedByOutage(candidate, left);
    app.model.next({ kind: 'completion', content: '' });

    await candidate.answer(next);
    await live(app, 2000);

    expect(lastPrompt().answer).toBe(`${left}\n\n${next}`);
    expect(await candidate.turns()).toMatchObject([{ state: 'merged' }, { epoch: 2 }]);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('stays with a following answer that an outage ends as well', async () => {
    const candidate = await newCandidate(app);
    const said = [words('first'), words('second'), words('third')];
    await endedByOutage(candidate, said[0] ?? '');
    await endedByOutage(candidate, said[1] ?? '');

    await candidate.answer(said[2] ?? '');

    expect(lastPrompt().answer).toBe(said.join('\n\n'));
    const [first, second, third] = await candidate.turns();
    expect([first, second]).toMatchObject([
      { state: 'merged', merged_into: third?.id },
      { state: 'merged', merged_into: third?.id },
    ]);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.waiting()).toEqual([]);
  });

  test('cannot be replayed once it is part of a later one', async () => {
    const candidate = await newCandidate(app);
    await endedByOutage(candidate, words());
    const [item] = await candidate.attention();
    await candidate.answer(words());
    await app.sql('update attention set closed_at = null where id = $1', [item?.id]);

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });
  });
});

describe('an answer that was given to a person', () => {
  test('because of its content is not merged into the next one', async () => {
    const candidate = await newCandidate(app);
    const [dead, next] = [words('dead'), words('next')];
    await endedByItself(candidate, dead);

    await candidate.answer(next);

    expect(lastPrompt().answer).toBe(next);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed' }, { state: 'delivered' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: false }]);
  });

  test('gets its reply by a replay, which closes its item', async () => {
    const candidate = await newCandidate(app);
    await endedByItself(candidate, words());

    await replay(candidate);
    await work(app);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', error: null }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: true }]);
    expect(await candidate.replies()).toHaveLength(1);
  });

  test('and was stopped before is not stopped again after a replay', async () => {
    const candidate = await newCandidate(app);
    const answerId = await endedByItself(candidate, words());
    await app.sql('update turn set stop_requested_at = now() where answer_id = $1', [answerId]);

    await replay(candidate);
    await work(app);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: false }]);
  });

  test('cannot be replayed once a later answer has its reply', async () => {
    const candidate = await newCandidate(app);
    await endedByItself(candidate, words());
    await candidate.answer(words());

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });

    expect(await candidate.attention()).toMatchObject([{ closed: false }]);
    expect((await candidate.jobs())[0]).toMatchObject({ state: 'dead' });
  });

  test('cannot be replayed while the reply to a later answer is being written', async () => {
    const candidate = await newCandidate(app);
    await endedByItself(candidate, words());
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'a reply is written',
      () => app.get(LiveReplies).current(candidate.id) !== undefined,
    );

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });

    app.model.release();
    await settled(app);
  });

  test('cannot be replayed after the candidate has withdrawn', async () => {
    const candidate = await newCandidate(app);
    await endedByItself(candidate, words());
    await candidate.withdraw();

    await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });
  });

  test('is merged by its replay into a later answer that is still open', async () => {
    const candidate = await newCandidate(app);
    const [dead, later] = [words('dead'), words('later')];
    await endedByItself(candidate, dead);
    await candidate.say(later);
    expect(await work(app)).toBe(0);

    const wake = jest.spyOn(app.get(JobWakeSignal), 'wake');
    await replay(candidate);
    expect(wake.mock.calls).toEqual([['flush']]);
    await work(app);

    expect(lastPrompt().answer).toBe(`${dead}\n\n${later}`);
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.turns()).toMatchObject([{ state: 'merged' }, { state: 'delivered' }]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'dead', closed: true }]);
  });
});
