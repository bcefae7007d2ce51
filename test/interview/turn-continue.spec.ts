import { textsOf } from '../../src/interview/texts/texts';
import { StoppedReplies } from '../../src/interview';
import { SegmentWriter } from '../../src/streams/segment-writer';
import { untilInProcess } from '../support/until';
import {
  LEASE_MS,
  startInterviews,
  startOther,
  closeInterviews,
  words,
  work,
  settled,
  live,
  visible,
} from './interviews';
import { newCandidate, type Interviewee } from './interviewee';
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
const SHOWN = 'Half \u{1F35E}.';

describe('continue', () => {
  const continues = (id: string) => app.commit((tx) => app.get(StoppedReplies).continue(tx, id));
  const questions = () => app.vacancy.plan.questions.map(({ text }) => text);

  async function halfWritten(verdict = 'answered', candidate?: Interviewee) {
    const one = candidate ?? (await newCandidate(app));
    const content = `{"verdict":"${verdict}","text":"${SHOWN} A`;
    app.model.next({ kind: 'hold', content, rest: 'nd the rest."}' });
    await one.start(app, words());
    await untilInProcess(
      'the beginning of the reply is visible',
      () => visible(app, one.id) === SHOWN,
    );
    return one;
  }

  async function stopped(verdict?: string, candidate?: Interviewee) {
    const one = await halfWritten(verdict, candidate);
    await one.stop();
    await settled(app);
    app.model.release();
    return one;
  }

  test('says the next question once, moves the plan and asks no model', async () => {
    const candidate = await stopped();
    const requestsBefore = app.model.requests.length;

    await continues(candidate.id);
    await continues(candidate.id);

    expect(await candidate.replies()).toEqual([SHOWN, questions()[1]]);
    expect(await candidate.state()).toMatchObject({ question: 1, interview_step: 1 });
    expect(app.model.requests).toHaveLength(requestsBefore);
    const [turn] = await candidate.turns();
    expect((await candidate.state()).metadata['questionAnswers']).toEqual([
      { questionId: app.vacancy.plan.questions[0]?.id, turnId: turn?.id },
    ]);
  });

  test('after the last answer says the closing and completes the interview', async () => {
    const candidate = await newCandidate(app);
    for (const _ of questions().slice(1)) await candidate.answer(words());
    await stopped('answered', candidate);

    await continues(candidate.id);

    expect((await candidate.replies()).slice(-2)).toEqual([SHOWN, app.vacancy.plan.closing]);
    expect(await candidate.state()).toMatchObject({ status: 'completed' });
  });

  test('after a push-back that was stopped repeats the question, which gets no second one', async () => {
    const candidate = await stopped('vague');

    await continues(candidate.id);

    expect(await candidate.replies()).toEqual([
      SHOWN,
      `${TEXTS.backToQuestion[0] ?? ''}\n\n${questions()[0] ?? ''}`,
    ]);
    expect(await candidate.state()).toMatchObject({ question: 0, pushedBack: true });
  });

  test('repeats the question when the decision was lost in a crash', async () => {
    const candidate = await halfWritten();
    await app.get(SegmentWriter).write();
    await candidate.stop(other);
    app.clock.advance(LEASE_MS);
    await work(other);
    app.model.release();
    await settled(app);

    await continues(candidate.id);

    expect((await candidate.replies()).at(-1)).toContain(questions()[0]);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
  });

  test('changes nothing when the candidate has written since, or no reply was stopped', async () => {
    const whole = await newCandidate(app);
    await whole.answer(words());
    const candidate = await stopped();
    await candidate.say(words());
    const before = [await candidate.replies(), await whole.replies()];

    await continues(candidate.id);
    await continues(whole.id);

    expect([await candidate.replies(), await whole.replies()]).toEqual(before);
    expect(await candidate.state()).toMatchObject({ question: 0, interview_step: 0 });
    await live(app, 10_000);
  });
});
