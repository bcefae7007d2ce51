import { textsOf } from '../../src/interview/texts/texts';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { replyWith } from '../../tools/fake-model/model-server';
import { untilInProcess } from '../support/until';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  words,
  pause,
  work,
  settled,
  live,
  visible,
} from './interviews';
import { newCandidate } from './interviewee';
import { LiveReplies } from '../../src/streams';
import { StopRequests } from '../../src/interview/turn/stopping';
import type { TestApp } from '../support/app';

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});

afterAll(() => closeInterviews(app));

const TEXTS = textsOf('en');
const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half \u{1F35E}. A',
  rest: 'nd the rest."}',
} as const;
const SHOWN = 'Half \u{1F35E}.';
/** The model has the request and has sent no text. */
const MUTE = { kind: 'hold', content: '', rest: '{"verdict":"answered","text":"Late."}' } as const;

async function begun(reply: typeof HELD | typeof MUTE) {
  const candidate = await newCandidate(app);
  app.model.next(reply);
  await candidate.start(app, words());
  if (reply === HELD)
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );
  return { candidate, shown: app.get(LiveReplies).current(candidate.id) };
}

const halfWritten = () => begun(HELD);
const unwritten = () => begun(MUTE);

describe('stop', () => {
  test('stores exactly the shown text and changes neither the question nor the step', async () => {
    const { candidate, shown } = await halfWritten();

    await candidate.stop();
    await settled(app);

    expect(await candidate.talk()).toMatchObject([
      { role: 'user' },
      { role: 'assistant', text: SHOWN, partial: true },
    ]);
    expect(shown).toMatchObject({ text: SHOWN, end: { isPartial: true } });
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
    expect(await candidate.turns()).toMatchObject([
      { state: 'delivered', partial: true, verdict: null, reply_text: SHOWN },
    ]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done', failures: 0 }]);
    expect(await candidate.attempts()).toEqual(['stopped']);
    expect(await candidate.waiting()).toEqual([]);
    app.model.release();
  });

  test('before the first word stores no line, and the turn, the job and the buffer end', async () => {
    const { candidate, shown } = await unwritten();

    await candidate.stop();
    await settled(app);

    expect(shown?.end).toBe('empty');
    expect((await candidate.talk()).map(({ role }) => role)).toEqual(['user']);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', reply_text: '' }]);
    expect((await candidate.turns())[0]?.completed_at).not.toBeNull();
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
    app.model.release();
  });

  test('the next answer counts for the same question and is no addition', async () => {
    const { candidate } = await halfWritten();
    await candidate.say(words('written meanwhile'));
    await candidate.stop();
    await settled(app);
    app.model.release();
    app.model.next(replyWith('answered', 'Now then.'));

    pause(app);
    await work(app);

    expect(await candidate.state()).toMatchObject({ question: 1, interview_step: 1 });
  });

  test('does nothing when no reply is being written', async () => {
    const candidate = await newCandidate(app);
    await candidate.say(words());

    await candidate.stop();
    pause(app);
    await work(app);

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: false }]);
  });

  test('from another replica ends the reply', async () => {
    const { candidate, shown } = await halfWritten();
    await candidate.stop(other);
    expect(shown?.end).toBeNull();

    await app.get(StopRequests).check();
    await settled(app);

    expect(await candidate.replies()).toEqual([SHOWN]);
    app.model.release();
  });

  test('ends the answer at the next claim without a call, with the text that was stored', async () => {
    const { candidate } = await halfWritten();
    await app.get(SegmentWriter).write();
    await candidate.stop(other);
    const requestsBefore = app.model.requests.length;
    app.clock.advance(LEASE_MS);

    await work(other);

    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.turns()).toMatchObject([
      { state: 'delivered', partial: true, epoch: 2 },
    ]);
    expect(await candidate.replies()).toEqual([SHOWN]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    app.model.release();
    await settled(app);
    expect(await candidate.replies()).toEqual([SHOWN]);
  });

  test('between two attempts ends the answer at the next claim without a call', async () => {
    const candidate = await newCandidate(app);
    app.model.next({ kind: 'completion', content: '{"verdict":"answered","text":"Ha' });
    await candidate.answer(words());
    const requestsBefore = app.model.requests.length;

    await candidate.stop();
    await live(app, 3000);

    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  });

  test('does not stop the reply to the next answer', async () => {
    const { candidate } = await halfWritten();
    await candidate.stop();
    await settled(app);
    app.model.release();
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await app.get(StopRequests).check();
    app.model.release();
    await settled(app);

    expect((await candidate.turns()).map(({ partial }) => partial)).toEqual([true, false]);
  });
});

describe('a request for a person', () => {
  test('stops the reply that is being written and adds one attention item', async () => {
    const { candidate } = await halfWritten();

    await candidate.askForPerson();
    await settled(app);
    app.model.release();

    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(await candidate.notices()).toEqual([TEXTS.handedOver]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  });

  test('is not undone by a reply that another process stores later', async () => {
    const { candidate } = await halfWritten();
    // The first process does not hear of it and stores its reply after the hand-over.
    await candidate.askForPerson(other);
    const stored = await app.sql<{ state: object }>(
      'select state from conversation where id = $1',
      [candidate.id],
    );

    app.model.release();
    await settled(app);

    expect(await candidate.replies()).toEqual([expect.stringContaining('And the rest.')]);
    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(await app.sql('select state from conversation where id = $1', [candidate.id])).toEqual(
      stored,
    );
    expect(await candidate.attention()).toHaveLength(1);
  });

  test('is not undone by the last reply of the plan', async () => {
    const candidate = await newCandidate(app);
    const { questions } = app.vacancy.plan;
    for (const _ of questions.slice(1)) await candidate.answer(words());
    app.model.next(HELD);
    await candidate.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, candidate.id) === SHOWN,
    );

    await candidate.askForPerson(other);
    app.model.release();
    await settled(app);

    const { status, metadata } = await candidate.state();
    expect(status).toBe('handed_over');
    expect(metadata['interviewCompleted']).toBe(false);
  });

  test("in the candidate's own words hands over after a confirmation; what they write after the item was closed adds another", async () => {
    const candidate = await newCandidate(app);
    app.model.next(replyWith('human', 'MODEL WORDS'));
    await candidate.answer('Can I talk to somebody?');
    app.model.next(replyWith('human', 'MODEL WORDS'));

    await candidate.answer('Yes, please.');
    const requestsBefore = app.model.requests.length;
    const [item] = await candidate.attention();
    await app.sql('update attention set closed_at = now() where id = $1', [item?.id]);
    await candidate.answer(words('for the person'));

    expect(await candidate.replies()).toEqual([
      TEXTS.confirmHuman,
      TEXTS.handedOver,
      TEXTS.keptForPerson,
    ]);
    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.attention()).toMatchObject([
      { kind: 'handed_over', closed: true },
      { kind: 'handed_over', closed: false },
    ]);
  });
});

describe('withdrawal', () => {
  test('stops the running reply, closes waiting answers, and no request follows', async () => {
    const { candidate } = await halfWritten();
    await candidate.say(words('waiting'));

    await candidate.withdraw();
    await settled(app);
    app.model.release();
    const requestsBefore = app.model.requests.length;
    await live(app, 20_000);

    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.state()).toMatchObject({ status: 'withdrawn', question: 0 });
    expect(await candidate.replies()).toEqual([SHOWN]);
    expect((await candidate.jobs()).map(({ state }) => state)).toEqual(['done', 'done']);
    expect(await candidate.waiting()).toEqual([]);
    expect((await candidate.turns()).map(({ state }) => state)).toEqual(['delivered']);
  });

  test('between two attempts ends the turn', async () => {
    const candidate = await newCandidate(app);
    app.model.next({ kind: 'completion', content: '' });
    await candidate.answer(words());
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry' }]);

    await candidate.withdraw();
    await live(app, 10_000);

    expect(await candidate.turns()).toMatchObject([{ state: 'failed', error: 'withdrawn' }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.attention()).toEqual([]);
  });

  test('is not undone by a reply that another process stores later', async () => {
    const { candidate } = await halfWritten();

    await candidate.withdraw(other);
    app.model.release();
    await settled(app);

    expect(await candidate.state()).toMatchObject({ status: 'withdrawn', question: 0 });
  });

  test('also ends an answer whose process has crashed: the next claim stores no reply', async () => {
    const { candidate } = await unwritten();
    await candidate.withdraw(other);
    const requestsBefore = app.model.requests.length;
    app.clock.advance(LEASE_MS);

    await work(other);

    expect(app.model.requests).toHaveLength(requestsBefore);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed', error: 'withdrawn' }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.waiting()).toEqual([]);
    app.model.release();
    await settled(app);
  });
});
