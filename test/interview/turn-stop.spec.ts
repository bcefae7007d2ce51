import { textsOf } from '../../src/interview/texts/texts';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { replyWith } from '../../tools/fake-model/model-server';
import { until } from '../support/model-calls';
import type { InterviewProcess } from './interview-process';
import { LEASE_MS, TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;
let other: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  other = await fixture.another();
  await other.pass();
});

afterAll(() => fixture.close());

const TEXTS = textsOf('en');
const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half \u{1F35E}',
  rest: ' and the rest."}',
} as const;
const SHOWN = 'Half \u{1F35E}';
/** The model has the request and has not said a word. */
const MUTE = { kind: 'hold', content: '', rest: '{"verdict":"answered","text":"Late."}' } as const;

async function begun(reply: typeof HELD | typeof MUTE) {
  const candidate = await fixture.candidate();
  fixture.model.next(reply);
  await candidate.start(fixture.main, words());
  if (reply === HELD) await until(() => fixture.main.visible(candidate.id) === SHOWN);
  return { candidate, shown: fixture.main.live.current(candidate.id) };
}

const halfWritten = () => begun(HELD);
const unwritten = () => begun(MUTE);

describe('stop', () => {
  test('stores exactly what was shown, and the question and the step stay', async () => {
    const { candidate, shown } = await halfWritten();

    await candidate.stop();
    await fixture.main.settled();

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
    fixture.model.release();
  });

  test('before the first word leaves no line, and everything else is at its end', async () => {
    const { candidate, shown } = await unwritten();

    await candidate.stop();
    await fixture.main.settled();

    expect(shown?.end).toBe('empty');
    expect((await candidate.talk()).map(({ role }) => role)).toEqual(['user']);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', reply_text: '' }]);
    expect((await candidate.turns())[0]?.completed_at).not.toBeNull();
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.waiting()).toEqual([]);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
    fixture.model.release();
  });

  test('the next answer is one to the same question, not an addition', async () => {
    const { candidate } = await halfWritten();
    await candidate.say(words('written meanwhile'));
    await candidate.stop();
    await fixture.main.settled();
    fixture.model.release();
    fixture.model.next(replyWith('answered', 'Now then.'));

    fixture.pause();
    await fixture.main.work();

    expect(await candidate.state()).toMatchObject({ question: 1, interview_step: 1 });
  });

  test('with nothing running does nothing', async () => {
    const candidate = await fixture.candidate();
    await candidate.say(words());

    await candidate.stop();
    fixture.pause();
    await fixture.main.work();

    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: false }]);
  });

  test('that another replica stored reaches the process that writes the reply', async () => {
    const { candidate, shown } = await halfWritten();
    await candidate.stop(other);
    expect(shown?.end).toBeNull();

    await fixture.main.running.look();
    await fixture.main.settled();

    expect(await candidate.replies()).toEqual([SHOWN]);
    fixture.model.release();
  });

  test('found by whoever takes the answer over ends it without a call, with what is known of it', async () => {
    const { candidate } = await halfWritten();
    await fixture.main.get(SegmentWriter).write();
    await candidate.stop(other);
    const asked = fixture.model.requests.length;
    fixture.clock.advance(LEASE_MS);

    await other.work();

    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.turns()).toMatchObject([
      { state: 'delivered', partial: true, epoch: 2 },
    ]);
    expect(await candidate.replies()).toEqual([SHOWN]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    fixture.model.release();
    await fixture.main.settled();
    expect(await candidate.replies()).toEqual([SHOWN]);
  });

  test('between two attempts ends the answer at the next claim, without a call', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next({ kind: 'answer', content: '{"verdict":"answered","text":"Ha' });
    await candidate.answer(words());
    const asked = fixture.model.requests.length;

    await candidate.stop();
    await fixture.live(3000);

    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  });

  test('spares the reply that is written to the answer after it', async () => {
    const { candidate } = await halfWritten();
    await candidate.stop();
    await fixture.main.settled();
    fixture.model.release();
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);

    await fixture.main.running.look();
    fixture.model.release();
    await fixture.main.settled();

    expect((await candidate.turns()).map(({ partial }) => partial)).toEqual([true, false]);
  });
});

describe('a person', () => {
  test('asked for while a reply is written stops it, and one item says so', async () => {
    const { candidate } = await halfWritten();

    await candidate.askForPerson();
    await fixture.main.settled();
    fixture.model.release();

    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(await candidate.notices()).toEqual([TEXTS.handedOver]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: false }]);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', partial: true }]);
  });

  test('is not taken back by a reply that was whole before it was stored', async () => {
    const { candidate } = await halfWritten();
    // Of another replica: this process goes on writing, and closes after the hand-over.
    await candidate.askForPerson(other);
    const stored = await fixture.sql<{ state: object }>(
      'select state from conversation where id = $1',
      [candidate.id],
    );

    fixture.model.release();
    await fixture.main.settled();

    expect(await candidate.replies()).toEqual([expect.stringContaining('and the rest.')]);
    expect(await candidate.state()).toMatchObject({ status: 'handed_over', question: 0 });
    expect(
      await fixture.sql('select state from conversation where id = $1', [candidate.id]),
    ).toEqual(stored);
    expect(await candidate.attention()).toHaveLength(1);
  });

  test('is not taken back by the last reply of the plan either', async () => {
    const candidate = await fixture.candidate();
    const { questions } = fixture.vacancy.plan;
    for (const _ of questions.slice(1)) await candidate.answer(words());
    fixture.model.next(HELD);
    await candidate.start(fixture.main, words());
    await until(() => fixture.main.visible(candidate.id) === SHOWN);

    await candidate.askForPerson(other);
    fixture.model.release();
    await fixture.main.settled();

    const { status, metadata } = await candidate.state();
    expect(status).toBe('handed_over');
    expect(metadata['interviewCompleted']).toBe(false);
  });

  test("asked for in the candidate's own words ends the interview, and one item says so", async () => {
    const candidate = await fixture.candidate();
    fixture.model.next(replyWith('human', 'MODEL WORDS'));
    await candidate.answer('Can I talk to somebody?');
    fixture.model.next(replyWith('human', 'MODEL WORDS'));

    await candidate.answer('Yes, please.');
    const asked = fixture.model.requests.length;
    const [item] = await candidate.attention();
    await fixture.sql('update attention set closed_at = now() where id = $1', [item?.id]);
    await candidate.answer(words('for the person'));

    expect(await candidate.replies()).toEqual([
      TEXTS.confirmHuman,
      TEXTS.handedOver,
      TEXTS.keptForPerson,
    ]);
    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.attention()).toMatchObject([{ kind: 'handed_over', closed: true }]);
  });
});

describe('withdrawal', () => {
  test('stops the running reply and closes what waits; nobody is asked any more', async () => {
    const { candidate } = await halfWritten();
    await candidate.say(words('waiting'));

    await candidate.withdraw();
    await fixture.main.settled();
    fixture.model.release();
    const asked = fixture.model.requests.length;
    await fixture.live(20_000);

    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.state()).toMatchObject({ status: 'withdrawn', question: 0 });
    expect(await candidate.replies()).toEqual([SHOWN]);
    expect((await candidate.jobs()).map(({ state }) => state)).toEqual(['done', 'done']);
    expect(await candidate.waiting()).toEqual([]);
    expect((await candidate.turns()).map(({ state }) => state)).toEqual(['delivered']);
  });

  test('between two attempts leaves no turn unfinished', async () => {
    const candidate = await fixture.candidate();
    fixture.model.next({ kind: 'answer', content: '' });
    await candidate.answer(words());
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry' }]);

    await candidate.withdraw();
    await fixture.live(10_000);

    expect(await candidate.turns()).toMatchObject([{ state: 'failed', error: 'withdrawn' }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.attention()).toEqual([]);
  });

  test('is not undone by a reply that another process stores after it', async () => {
    const { candidate } = await halfWritten();

    await candidate.withdraw(other);
    fixture.model.release();
    await fixture.main.settled();

    expect(await candidate.state()).toMatchObject({ status: 'withdrawn', question: 0 });
  });

  test('holds for an answer whose process has crashed: its successor says nothing', async () => {
    const { candidate } = await unwritten();
    await candidate.withdraw(other);
    const asked = fixture.model.requests.length;
    fixture.clock.advance(LEASE_MS);

    await other.work();

    expect(fixture.model.requests).toHaveLength(asked);
    expect(await candidate.replies()).toEqual([]);
    expect(await candidate.turns()).toMatchObject([{ state: 'failed', error: 'withdrawn' }]);
    expect(await candidate.jobs()).toMatchObject([{ state: 'done' }]);
    expect(await candidate.waiting()).toEqual([]);
    fixture.model.release();
    await fixture.main.settled();
  });
});
