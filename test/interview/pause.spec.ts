import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { type InterviewState, initialState, readState } from '../../src/interview/plan/state';
import {
  type ComingBack,
  type TurnContext,
  type Verdict,
  completeReply,
  ScriptedInterviewer,
} from '../../src/interview/plan/verdicts';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

const PLAN = planOf(3);
const START = initialState(PLAN);
const BACK: ComingBack = {
  until: '2026-12-03',
  remindFrom: '2026-11-27T09:00:00.000Z',
  when: null,
};
const CONTEXT: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
  comingBack: () => BACK,
};
const TEXTS = textsOf('en');
const NOTHING = { hasAnswers: false };
const PAUSED = TEXTS.paused({ until: '3 December', when: null, ...NOTHING });
const PAUSED_WITH_ANSWERS = TEXTS.paused({ until: '3 December', when: null, hasAnswers: true });

function decideFrom(state: InterviewState, verdict: Verdict, context: Partial<TurnContext> = {}) {
  return decide(PLAN, state, verdict, { ...CONTEXT, ...context });
}

test('a pause says until which day, and repeats no question', () => {
  const decision = decideFrom(START, 'later');

  expect(decision).toMatchObject({ verdict: 'later', speaker: 'code', tail: '', endsAs: null });
  expect(completeReply(decision, '')).toBe(PAUSED);
  expect(PAUSED).toContain('The same link works until 3 December.');
});

test.each([
  ['en', 'tonight', 'Sure, tonight is fine.'],
  ['ru', 'вечером', 'Конечно, можно и вечером.'],
] as const)('the time that was named is said back (%s)', (language, when, words) => {
  const context = { language, comingBack: () => ({ ...BACK, when }) };

  expect(decideFrom(START, 'later', context).lead.startsWith(`${words} `)).toBe(true);
});

test.each(['en', 'ru'] as const)(
  'of answers nothing is said where none was given (%s)',
  (language) => {
    const said = (state: InterviewState): string[] => {
      const leaving = decideFrom(state, 'leave', { language });
      const warned = decideFrom(state, 'abusive', { language });
      return [
        decideFrom(state, 'later', { language }).lead,
        leaving.lead,
        decideFrom(leaving.state, 'leave', { language }).lead,
        decideFrom(warned.state, 'abusive', { language }).lead,
      ];
    };
    const keeping = /kept|сохран/iu;

    expect(said(START).filter((text) => keeping.test(text))).toEqual([]);
    for (const verdict of ['answered', 'vague'] as const) {
      const texts = said(decideFrom(START, verdict).state);
      expect(texts.filter((text) => !keeping.test(text))).toEqual([]);
    }
  },
);

test('the day is said in the language of the candidate', () => {
  const reply = decideFrom(START, 'later', { language: 'ru' }).lead;

  expect(reply).toContain('ссылка работает до 3 декабря включительно');
});

test('a pause settles nothing and moves no counter that would close the question', () => {
  const { state } = decideFrom(START, 'later', { isLater: true });

  expect(state).toEqual({ ...START, remindFrom: BACK.remindFrom });
});

test('as many pauses as a candidate likes, by plain words, leave the question open', () => {
  let state = START;
  for (let n = 0; n < 50; n += 1) state = decideFrom(state, 'later', { isLater: true }).state;

  expect(state).toEqual({ ...START, remindFrom: BACK.remindFrom });
});

test.each(['answered', 'question', 'leave', 'human', 'abusive', 'off_topic', 'refusal'] as const)(
  'the plain phrase counts, also where the model says %s',
  (proposed) => {
    expect(decideFrom(START, proposed, { isLater: true })).toMatchObject({
      verdict: 'later',
      endsAs: null,
      lead: PAUSED,
    });
  },
);

test('a model that only ever says later closes the question after three pauses that code has not heard', () => {
  let state = START;
  for (let n = 0; n < 3; n += 1) {
    expect(allowedVerdicts(PLAN, state)).toContain('later');
    state = decideFrom(state, 'later').state;
  }

  const decision = decideFrom(state, 'later');
  expect(allowedVerdicts(PLAN, state)).not.toContain('later');
  expect(decision).toMatchObject({ verdict: 'answered', speaker: 'code', tail: 'Question 2?' });
  expect(allowedVerdicts(PLAN, decision.state)).toContain('later');
});

test.each([
  ['leave', TEXTS.confirmLeave(NOTHING)],
  ['human', TEXTS.confirmHuman],
] as const)('after the question whether to go through with %s, later pauses', (wish, words) => {
  const asked = decideFrom(START, wish);
  expect(asked.lead.startsWith(words)).toBe(true);

  const paused = decideFrom(asked.state, 'later');

  expect(paused).toMatchObject({ verdict: 'later', endsAs: null });
  expect(paused.state).toMatchObject({ isLeaving: false, isCallingPerson: false });
  expect(allowedVerdicts(PLAN, asked.state)).toContain('later');
});

test('the confirmation to end offers the pause beside it, with its day', () => {
  expect(decideFrom(START, 'leave').lead).toBe(
    `${TEXTS.confirmLeave(NOTHING)}\n\n${TEXTS.orLater('3 December', NOTHING)}`,
  );
});

test('a pause in an addendum takes "do you want to stop?" back, so that a "yes" behind it ends nothing', () => {
  const asked = decideFrom(START, 'leave').state;

  const { state } = decideFrom(asked, 'later', { isLater: true, isAddendum: true });

  expect(state).toEqual({ ...asked, isLeaving: false, remindFrom: BACK.remindFrom });
  expect(decideFrom(state, 'leave')).toMatchObject({
    endsAs: null,
    lead: expect.any(String) as string,
  });
});

test.each(['aside', 'off_topic', 'later'] as const)(
  'what is said before a wish to go on later pauses too, where a model takes it for %s',
  (proposed) => {
    const state = { ...START, pauses: 3 };
    const decision = decideFrom(state, proposed, { isLaterToo: true });

    expect(decision).toMatchObject({ verdict: 'later', lead: PAUSED });
    expect(decision.state).toEqual({ ...state, remindFrom: BACK.remindFrom });
  },
);

test.each(['question', 'clarify', 'addition', 'correction'] as const)(
  'a wish to go on later behind a message that a model takes for %s is heard',
  (proposed) => {
    const state = decideFrom(START, 'answered').state;
    const decision = decideFrom(state, proposed, { isLaterToo: true });

    expect(decision.verdict).toBe(proposed);
    expect(decision.tail.startsWith(PAUSED_WITH_ANSWERS)).toBe(true);
    expect(decision.state.remindFrom).toBe(BACK.remindFrom);
  },
);

test('whoever answers is back, and thanks after a pause change nothing about the return', () => {
  const paused = decideFrom(START, 'later').state;

  for (const verdict of ['answered', 'vague', 'refusal'] as const) {
    expect(decideFrom(paused, verdict).state.remindFrom).toBeNull();
  }
  for (const verdict of ['question', 'clarify', 'objection', 'off_topic'] as const) {
    expect(decideFrom(paused, verdict).state.remindFrom).toBe(BACK.remindFrom);
  }
});

test('an answer that ends in a wish to go on later counts, and the pause stands before the next question', () => {
  const decision = decideFrom(START, 'answered', { isLaterToo: true });

  expect(decision.tail).toBe(`${PAUSED_WITH_ANSWERS}\n\nQuestion 2?`);
  expect(decision.state).toMatchObject({ questionIndex: 1, remindFrom: BACK.remindFrom });
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'answered' }]);
});

test('the end of the interview says nothing of a pause', () => {
  const last = { ...START, questionIndex: 2, openQuestion: 'q3', asked: ['q1', 'q2', 'q3'] };

  expect(decideFrom(last, 'answered', { isLaterToo: true }).tail).toBe('Closing.');
});

test('a state that was stored without the fields of a pause is read', () => {
  const { pauses: _, remindFrom: __, ...stored } = START;

  expect(readState(stored)).toEqual(START);
});

const FACTS = { readers: '', place: { question: 1, of: 3, minutes: 5 } };

test.each([
  ["I'll finish tonight, ok?", {}, 'later'],
  ['Можно продолжу завтра?', {}, 'later'],
  ['let me continue after lunch', {}, 'later'],
  ['later', { isLeaving: true }, 'later'],
  ['позже', { isCallingPerson: true }, 'later'],
  ['later', {}, 'answered'],
  ["I'm back", {}, 'clarify'],
] as const)('the scripted interviewer hears %j %j as %s', (said, wish, verdict) => {
  const interviewer = new ScriptedInterviewer();
  const heard = interviewer.reply(
    CONTEXT,
    { plan: PLAN, state: { ...START, ...wish } },
    said,
    FACTS,
  );

  expect(heard.verdict).toBe(verdict);
});
