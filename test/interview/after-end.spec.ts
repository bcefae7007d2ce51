import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { isAnswerWanted } from '../../src/interview/plan/after-end';
import { mayAsk } from '../../src/interview/plan/phrases';
import { isGoodbye } from '../../src/interview/plan/goodbye';
import { type InterviewState, initialState } from '../../src/interview/plan/state';
import { completeReply, type TurnContext, type Verdict } from '../../src/interview/plan/verdicts';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

const PLAN = planOf(2);
const TEXTS = textsOf('en');
const ACTIVE: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
};
const LAST = decide(PLAN, initialState(PLAN), 'answered', ACTIVE).state;
const ENDED = decide(PLAN, LAST, 'answered', ACTIVE).state;
const LATE: TurnContext = { ...ACTIVE, status: 'completed', isAsking: true, canAnswer: true };

function late(verdict: Verdict, isGrounded: boolean, context: Partial<TurnContext> = {}) {
  const state: InterviewState = ENDED;
  return decide(PLAN, state, verdict, { ...LATE, ...context }, { isGrounded });
}

test('behind the closing the candidate is invited to ask, and the interview is complete without it', () => {
  const decision = decide(PLAN, LAST, 'answered', { ...ACTIVE, canAnswer: true });

  expect(decision.tail).toBe(`Closing.\n\n${TEXTS.yourQuestions}`);
  expect(decision).toMatchObject({ endsAs: 'completed' });
});

test('where nothing can be answered from documents, the closing stands alone', () => {
  for (const canAnswer of [false, undefined]) {
    const context = { ...ACTIVE, ...(canAnswer === undefined ? {} : { canAnswer }) };
    expect(decide(PLAN, LAST, 'answered', context).tail).toBe('Closing.');
  }
});

test('a question after the end is answered from the documents, and changes nothing else', () => {
  const decision = late('question', true);

  expect(completeReply(decision, 'At four in the morning.')).toBe('');
  expect(decision).toMatchObject({ verdict: 'question', speaker: 'model', endsAs: null });
  expect(decision.state).toEqual(ENDED);
  expect(decision.isQuestionOpen).toBeUndefined();
});

test.each<[string, Verdict, boolean, Partial<TurnContext>]>([
  ['without a source', 'question', false, {}],
  ['that the model takes for something else', 'answered', true, {}],
  ['where there are no documents', 'question', true, { canAnswer: false }],
])('a question after the end %s goes to a person, and the closing is not repeated', (_, ...how) => {
  expect(late(...how)).toMatchObject({
    speaker: 'code',
    lead: TEXTS.askedAfterEnd,
    tail: '',
    isQuestionOpen: true,
  });
});

test('what may ask something goes to a model too, because "tell me about the team" has no question mark', () => {
  const maybe = { isAsking: false, mayAsk: true };

  expect(late('question', true, maybe)).toMatchObject({ speaker: 'model', verdict: 'question' });
  expect(late('question', false, maybe)).toMatchObject({
    lead: TEXTS.askedAfterEnd,
    isQuestionOpen: true,
  });
  expect(late('answered', true, maybe)).toMatchObject({ speaker: 'code', about: 'q2' });
  expect(mayAsk('Tell me about the team, please')).toBe(true);
  expect(mayAsk("I'd like to know how the shifts work")).toBe(true);
  expect(mayAsk('Хотелось бы узнать про график')).toBe(true);
});

test('an addition after the end that also asks something counts, and a person is told', () => {
  const maybe = { ...LATE, isAsking: false, mayAsk: true };
  const noticed = { isGrounded: true, asksToo: true };

  expect(decide(PLAN, ENDED, 'answered', maybe, noticed)).toMatchObject({
    about: 'q2',
    isQuestionOpen: true,
    lead: expect.stringContaining(TEXTS.noSourceToo) as string,
  });
});

test('a goodbye goes to no model, whatever else it may be', () => {
  const context = { ...LATE, isGoodbye: true, mayAsk: true };

  expect(isAnswerWanted(context)).toBe(false);
});

test.each<[string, Partial<TurnContext>]>([
  ['of somebody who has not agreed', { isConsented: false }],
  ['in an interview that has expired', { status: 'expired' }],
  ['to a person', { status: 'handed_over' }],
  ['of somebody who has withdrawn', { status: 'withdrawn' }],
])('a question %s is not answered by a model', (_, context) => {
  expect(late('question', true, context).speaker).toBe('code');
});

test('an objection after the end is noted, also where it asks something', () => {
  expect(late('question', true, { wish: 'objection' })).toMatchObject({
    lead: TEXTS.objectionNoted,
    personNeededFor: 'objection',
  });
});

test('after the end only a question goes to a model', () => {
  expect(allowedVerdicts(PLAN, ENDED)).toEqual(['answered', 'question']);
});

test('a goodbye after the end gets a goodbye, and adds nothing to an answer', () => {
  const said = [1, 2].map((ordinal) => {
    const context = { ...LATE, isAsking: false, isGoodbye: true, ordinal };
    return decide(PLAN, ENDED, 'answered', context);
  });

  expect(said.map(({ lead }) => lead).toSorted()).toEqual([...TEXTS.goodbyes].toSorted());
  expect(said[0]).toMatchObject({ verdict: null, tail: '', state: ENDED });
  expect(said[0]?.about).toBeUndefined();
});

test.each([
  'Thanks!',
  'Thank you so much',
  'Thank you for your time, goodbye!',
  'Ok, thanks, bye',
  'Bye',
  'No, thank you',
  "No, that's all",
  'Nothing else',
  'No questions',
  'Have a nice day!',
  'You too',
  'See you',
  'Спасибо!',
  'Спасибо большое, до свидания',
  'Спасибо за уделённое время',
  'Хорошо, спасибо',
  'Нет, спасибо',
  'Вопросов нет',
  'Нет, вопросов больше нет. Спасибо!',
  'Всего доброго',
  'Хорошего дня!',
  'И вам спасибо',
  'До встречи',
])('%j is a goodbye', (text) => {
  expect(isGoodbye(text)).toBe(true);
});

test.each([
  'Thanks, when will I hear from you?',
  'Thank you. I forgot to mention that I also led the rollout.',
  'No shifts at night, please',
  'I said goodbye to that job',
  'Спасибо, а когда ответ?',
  'Нет, ночные смены не подходят',
  'Пока не знаю',
  'Ничего не пекла',
  '',
])('%j is none', (text) => {
  expect(isGoodbye(text)).toBe(false);
});
