import {
  type ConversationStatus,
  type TurnContext,
  completeReply,
  opening,
  type Verdict,
  ScriptedInterviewer,
} from '../../src/interview/plan/verdicts';
import {
  type InterviewState,
  endState,
  initialState,
  progress,
  readState,
} from '../../src/interview/plan/state';
import { allowedVerdicts, decide } from '../../src/interview/plan/decide';
import { textsOf } from '../../src/interview/texts/texts';
import { planOf } from '../support/plans';

const PLAN = planOf(3);
const START = initialState(PLAN);
const ACTIVE: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 1,
};
const TEXTS = textsOf('en');

function decideFrom(state: InterviewState, verdict: Verdict, context: Partial<TurnContext> = {}) {
  return decide(PLAN, state, verdict, { ...ACTIVE, ...context });
}

/** The state after a sequence of verdicts. */
function after(...verdicts: readonly Verdict[]): InterviewState {
  return verdicts.reduce((state, verdict) => decideFrom(state, verdict).state, START);
}

test('an interview opens with the greeting and the first question, word for word', () => {
  expect(opening(PLAN, 'en')).toEqual(['Greeting.', 'Question 1?']);
  expect(START.asked).toEqual(['q1']);
});

test("greeting and closing are said in the candidate's language where the plan has it", () => {
  const plan = {
    ...PLAN,
    translations: { greeting: { ru: 'Здравствуйте.' }, closing: { ru: 'Спасибо.' } },
  };
  const last = after('answered', 'answered');
  const closingIn = (language: 'ru' | 'en') =>
    decide(plan, last, 'answered', { ...ACTIVE, language }).tail;

  expect([opening(plan, 'ru')[0], opening(plan, 'en')[0]]).toEqual(['Здравствуйте.', 'Greeting.']);
  expect([closingIn('ru'), closingIn('en')]).toEqual(['Спасибо.', 'Closing.']);
});

test('an answer is acknowledged by the model and followed by the next question word for word', () => {
  const decision = decideFrom(START, 'answered');
  expect(decision).toMatchObject({ speaker: 'model', tail: 'Question 2?', endsAs: null });
  expect(completeReply(decision, 'Thanks.')).toBe('\n\nQuestion 2?');
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'answered' }]);
});

test('a fixed text acknowledges the answer when the model wrote no text', () => {
  const reply = completeReply(decideFrom(START, 'answered'), ' \n');
  expect(reply).toBe(`${TEXTS.acknowledgements[1] ?? ''}\n\nQuestion 2?`);
});

test('the last answer is followed by the closing, and the interview is completed', () => {
  const decision = decideFrom(after('answered', 'answered'), 'answered');
  expect(decision).toMatchObject({ tail: 'Closing.', endsAs: 'completed' });
  expect(decision.state.asked).toEqual(['q1', 'q2', 'q3']);
});

describe('a vague answer', () => {
  test('gets one push-back by the model, and the question stays open', () => {
    const decision = decideFrom(START, 'vague');
    expect(decision).toMatchObject({ speaker: 'model', tail: '', endsAs: null });
    expect(decision.state).toMatchObject({ questionIndex: 0, pushedBack: true });
  });

  test('counts as answered after the push-back, marked weak', () => {
    const decision = decideFrom(after('vague'), 'vague');
    expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'weak' }]);
    expect(decision).toMatchObject({ verdict: 'answered', tail: 'Question 2?' });
  });

  test('never gets a second push-back', () => {
    expect(decideFrom(after('vague'), 'vague').speaker).toBe('code');
    expect(allowedVerdicts(PLAN, after('vague'))).not.toContain('vague');
  });

  test('allows a push-back again at the next question', () => {
    expect(allowedVerdicts(PLAN, after('vague', 'answered'))).toContain('vague');
  });
});

test("replies to a candidate's question and leads back to the open one without repeating it", () => {
  const decision = decideFrom(START, 'question', { isAsking: true });
  expect(decision.speaker).toBe('model');
  expect(completeReply(decision, 'At four.')).toBe(`\n\n${TEXTS.questionAbove[1] ?? ''}`);
  expect(decision.state).toMatchObject({ questionIndex: 0, pushedBack: false, settled: [] });
});

test.each([{}, { isAddendum: true }])(
  'a question without a source gets a fixed reply and goes to a person (%j)',
  (context) => {
    const decision = decide(
      PLAN,
      START,
      'question',
      { ...ACTIVE, ...context },
      { isGrounded: false },
    );
    expect(decision).toMatchObject({ speaker: 'code', lead: TEXTS.noSource });
    expect(decision.isQuestionOpen).toBe(true);
    expect(decision.state).toMatchObject({ questionIndex: 0, settled: [] });
  },
);

test('continues with the next question when the candidate declines one', () => {
  const decision = decideFrom(START, 'refusal');
  expect(decision.tail).toBe('Question 2?');
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'declined' }]);
});

test('leads back once from off topic, and leaves the question open the second time', () => {
  expect(after('off_topic').questionIndex).toBe(0);
  expect(completeReply(decideFrom(START, 'off_topic'), 'Rain again!')).toBe('\n\nQuestion 1?');
  const decision = decideFrom(after('off_topic'), 'off_topic');
  expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 2?' });
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'unanswered' }]);
});

describe('the wish to leave', () => {
  test('is confirmed first, in a fixed text', () => {
    const decision = decideFrom(START, 'leave');
    const lead = TEXTS.confirmLeave({ hasAnswers: false });
    expect(decision).toMatchObject({ speaker: 'code', lead, endsAs: null });
  });

  test('ends the interview when confirmed, and marks the questions that were not asked', () => {
    const decision = decideFrom(after('answered', 'leave'), 'leave');
    expect(decision.endsAs).toBe('withdrawn');
    expect(decision.state.settled).toEqual([
      { id: 'q1', outcome: 'answered' },
      { id: 'q2', outcome: 'unanswered' },
    ]);
    expect(decision.state.notAsked).toEqual([{ id: 'q3', reason: 'withdrawn' }]);
  });

  test('is not confirmed by a message from before the question about it', () => {
    const decision = decideFrom(after('leave'), 'leave', { isAddendum: true });
    expect(decision.endsAs).toBeNull();
  });

  test('is cancelled by an answer', () => {
    const decision = decideFrom(after('leave'), 'answered');
    expect(decision.state).toMatchObject({ questionIndex: 1, isLeaving: false });
  });

  test.each(['vague', 'refusal', 'off_topic'] as const)(
    'is cancelled by "%s", which repeats the question without settling it',
    (verdict) => {
      const decision = decideFrom(after('leave'), verdict);
      expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 1?', endsAs: null });
      expect(decision.state).toMatchObject({ isLeaving: false, settled: [], pushedBack: false });
    },
  );

  test('keeps the question open when the answer is unanalysed', () => {
    const decision = decideFrom(after('leave'), 'answered', { isUnanalysed: true });
    expect(decision.state).toMatchObject({ questionIndex: 0, settled: [] });
  });

  test('needs no confirmation after three earlier ones', () => {
    const wavering = after('leave', 'off_topic', 'leave', 'off_topic', 'leave', 'off_topic');
    expect(decideFrom(wavering, 'leave').endsAs).toBe('withdrawn');
  });
});

describe('the wish for a person', () => {
  test('is confirmed first, in a fixed text, and the question stays open', () => {
    for (const isAddendum of [false, true]) {
      const decision = decideFrom(START, 'human', { isAddendum });
      expect(decision).toMatchObject({ speaker: 'code', endsAs: null, tail: '' });
      expect(decision.lead).toBe(TEXTS.confirmHuman);
      expect(decision.state).toMatchObject({
        isCallingPerson: true,
        questionIndex: 0,
        settled: [],
      });
    }
  });

  test('hands over when confirmed', () => {
    const decision = decideFrom(after('human'), 'human');
    expect(decision).toMatchObject({ speaker: 'code', endsAs: 'handed_over' });
    expect(decision.state.notAsked.map(({ id }) => id)).toEqual(['q2', 'q3']);
  });

  test('is not confirmed by a message from before the question about it', () => {
    expect(decideFrom(after('human'), 'human', { isAddendum: true }).endsAs).toBeNull();
  });

  test('is cancelled by an answer', () => {
    const decision = decideFrom(after('human'), 'answered');
    expect(decision.state).toMatchObject({ questionIndex: 1, isCallingPerson: false });
  });

  test.each(['vague', 'refusal', 'off_topic'] as const)(
    'is cancelled by "%s", which repeats the question without settling it',
    (verdict) => {
      const decision = decideFrom(after('human'), verdict);
      expect(decision).toMatchObject({ speaker: 'code', tail: 'Question 1?', endsAs: null });
      expect(decision.state).toMatchObject({
        isCallingPerson: false,
        settled: [],
        pushedBack: false,
      });
    },
  );

  test('and the wish to leave are confirmed separately', () => {
    expect(decideFrom(after('human'), 'leave').endsAs).toBeNull();
    expect(decideFrom(after('leave'), 'human').endsAs).toBeNull();
    expect(after('leave', 'human')).toMatchObject({ isLeaving: false, isCallingPerson: true });
    expect(after('human', 'leave')).toMatchObject({ isLeaving: true, isCallingPerson: false });
  });

  test('needs no confirmation after three earlier ones', () => {
    const wavering = after('human', 'off_topic', 'human', 'off_topic', 'human', 'off_topic');
    expect(decideFrom(wavering, 'human').endsAs).toBe('handed_over');
  });

  test('is confirmed also in a state that was stored without the fields for it', () => {
    const { isCallingPerson: _, personCalls: __, ...stored } = START;
    const asked = decideFrom(readState(stored), 'human');
    expect(asked.endsAs).toBeNull();
    expect(decideFrom(asked.state, 'human').endsAs).toBe('handed_over');
  });
});

test('no answer to a knock-out question ends an interview (I10)', () => {
  const plan = {
    ...PLAN,
    questions: PLAN.questions.map((q) => ({ ...q, kind: 'knockout' as const })),
  };
  for (const verdict of ['answered', 'vague', 'question', 'refusal', 'off_topic'] as const) {
    expect(decide(plan, initialState(plan), verdict, ACTIVE).endsAs).toBeNull();
  }
});

describe('an addendum', () => {
  test.each(['answered', 'vague', 'question', 'refusal', 'off_topic'] as const)(
    'with the verdict "%s" changes nothing and repeats no question',
    (verdict) => {
      const state = after('answered', 'vague');
      const decision = decideFrom(state, verdict, { isAddendum: true });
      expect(decision.state).toEqual(state);
      expect(decision).toMatchObject({ tail: TEXTS.questionAbove[1], endsAs: null });
    },
  );
});

test('an answer that the model failed on is settled as unanalysed, and the plan continues', () => {
  const decision = decideFrom(START, 'answered', { isUnanalysed: true });
  expect(decision).toMatchObject({ speaker: 'code', lead: TEXTS.notAnalysed, tail: 'Question 2?' });
  expect(decision.state.settled).toEqual([{ id: 'q1', outcome: 'unanalysed' }]);
});

describe('without a model', () => {
  test.each<[ConversationStatus, string]>([
    ['handed_over', TEXTS.keptForPerson],
    ['withdrawn', TEXTS.closed],
    ['declined', TEXTS.closed],
  ])('a message in a conversation that is %s gets a short fixed text', (status, words) => {
    const state = endState(PLAN, START, 'withdrawn');
    const decision = decideFrom(state, 'answered', { status });
    expect(decision).toEqual({
      verdict: null,
      speaker: 'code',
      lead: words,
      tail: '',
      state,
      endsAs: null,
    });
  });

  test('a message after the end is added to the last answer', () => {
    const state = after('answered', 'answered', 'answered');
    const decision = decideFrom(state, 'answered', { status: 'completed' });
    expect(decision).toMatchObject({ lead: TEXTS.thanksForAddition[1], about: 'q3', state });
  });

  test('a question after the end goes to a person, and the closing says when the team replies', () => {
    const state = after('answered', 'answered', 'answered');
    const context = { status: 'completed', isAsking: true } as const;
    const asked = decideFrom(state, 'answered', context);
    const askedWhen = decideFrom(state, 'answered', { ...context, isAskingWhen: true });
    expect(asked).toMatchObject({ lead: TEXTS.askedAfterEnd, tail: '', state });
    expect(askedWhen).toMatchObject({ lead: TEXTS.askedWhenAfterEnd, tail: 'Closing.', state });
    expect([asked.isQuestionOpen, askedWhen.isQuestionOpen]).toEqual([true, true]);
  });

  test('any message before consent gets a fixed reply (I10)', () => {
    const decision = decideFrom(START, 'leave', { isConsented: false });
    expect(decision).toMatchObject({ lead: TEXTS.consentFirst, state: START, endsAs: null });
  });
});

test('the scripted interviewer thanks for every answer, in varying but reproducible words', () => {
  const said = [0, 1, 2, 3].map((ordinal) => scriptedReply('Bread.', { ordinal }).text);
  expect(new Set(said).size).toBe(3);
  expect(said[3]).toBe(said[0]);
  expect(scriptedReply('Bread.').verdict).toBe('answered');
});

test.each([
  ['Skip.', 'refusal'],
  ['Давайте пропустим', 'refusal'],
  ['STOP!', 'leave'],
  ['Хочу закончить.', 'leave'],
  ['Can I talk to a person?', 'human'],
  ['Можно поговорить с человеком?', 'human'],
  ['Could you repeat the question?', 'clarify'],
  ['Повторите, пожалуйста, вопрос', 'clarify'],
  ['What is the salary?', 'question'],
  ['Есть ли удалёнка?', 'question'],
  ['Hello!', 'aside'],
  ['One second?', 'aside'],
  ['Здравствуйте! Можно по-русски?', 'clarify'],
  ['I stopped the rollout and skipped the retry.', 'answered'],
  ['I live in Porto. Is that a problem?', 'answered'],
  ['Yes', 'answered'],
  ['нет', 'answered'],
  ['?', 'answered'],
  ['', 'answered'],
])('the scripted interviewer understands %j as %s', (said, verdict) => {
  expect(scriptedReply(said).verdict).toBe(verdict);
});

test.each([
  ['Yes.', { isLeaving: true }, 'leave'],
  ['да', { isCallingPerson: true }, 'human'],
  ['Нет, спасибо', { isLeaving: true }, 'off_topic'],
  ['No', { isCallingPerson: true }, 'off_topic'],
] as const)(
  '%j confirms or takes back the wish that the reply asked about',
  (said, wish, verdict) => {
    expect(scriptedReply(said, {}, { ...START, ...wish }).verdict).toBe(verdict);
  },
);

test('the scripted interviewer takes no phrase from an addendum but an objection, an aside and a pause', () => {
  expect(scriptedReply('stop', { isAddendum: true }).verdict).toBe('answered');
  expect(scriptedReply('I object', { isAddendum: true }).verdict).toBe('objection');
  expect(scriptedReply('Thanks!', { isAddendum: true }).verdict).toBe('aside');
  expect(scriptedReply("I'll finish tonight", { isAddendum: true }).verdict).toBe('later');
});

test('the scripted interviewer asks the followUp of an open question after a thin answer, once', () => {
  const [first] = PLAN.questions;
  const question = {
    ...first,
    followUp: 'Which part was yours?',
  } as (typeof PLAN.questions)[number];
  const plan = { ...PLAN, questions: [question] };
  const thin = scriptedReply('Billing.', {}, START, question);
  expect(thin.verdict).toBe('vague');
  const asked = decide(plan, initialState(plan), thin.verdict, ACTIVE);
  expect(completeReply(asked, thin.text)).toBe('Which part was yours?');

  const again = decide(plan, asked.state, thin.verdict, ACTIVE);
  expect(again).toMatchObject({ verdict: 'answered', endsAs: 'completed' });
});

test.each([
  ['a whole answer', 'I moved the billing to a new service.', { followUp: 'Which part?' }, {}],
  ['a plan without a followUp', 'Billing.', {}, {}],
  ['a knock-out question', 'Yes', { kind: 'knockout', followUp: 'Yes or no?' }, {}],
  ['an answer that a model failed on', 'Billing.', { followUp: '?' }, { isUnanalysed: true }],
] as const)('the scripted interviewer asks for no more after %s', (_, said, changes, turn) => {
  const [first] = PLAN.questions;
  const question = { ...first, ...changes } as (typeof PLAN.questions)[number];
  expect(scriptedReply(said, turn, START, question).verdict).toBe('answered');
});

function scriptedReply(
  said: string,
  turn: Partial<TurnContext> = {},
  state = START,
  question?: (typeof PLAN.questions)[number],
  quoted: string | null = null,
) {
  const plan = question === undefined ? PLAN : { ...PLAN, questions: [question] };
  return new ScriptedInterviewer().reply(
    { ...ACTIVE, language: 'ru', ordinal: 0, ...turn },
    { plan, state },
    said,
    { readers: 'Ada reads it.', place: { question: 1, of: 3, minutes: 5 }, quoted },
  );
}

test.each([
  ['How many questions are left?', 'Это вопрос 1 из 3, ещё примерно 5 минут.'],
  ['Это первый вопрос?', 'Да, это вопрос 1 из 3, ещё примерно 5 минут.'],
  ['Это последний вопрос?', 'Нет, это вопрос 1 из 3, ещё примерно 5 минут.'],
  ['Am I talking to a machine?', textsOf('ru').isProgram(false)],
  ['Вы человек?', textsOf('ru').isProgram(true)],
])('the scripted interviewer has a reply to %j', (said, text) => {
  expect(scriptedReply(said)).toEqual({ verdict: 'question', text, isGrounded: true });
});

test.each([
  ['Sorry, my father died last week, I am slow today.', 'loss'],
  ['My grandmother passed away.', 'loss'],
  ['I was ill, and then my father died', 'loss'],
  ["I'm at a funeral today", 'loss'],
  ["I'm in hospital right now", 'illness'],
  ['I was ill, sorry for the wait', 'illness'],
  ['Простите, на той неделе умер папа, я сегодня медленная.', 'loss'],
  ['У меня умерла бабушка', 'loss'],
  ['Извините, я болею', 'illness'],
  ['Лежу в больнице', 'illness'],
] as const)(
  'without a model %j gets a kind sentence for %s, and the question waits',
  (said, kind) => {
    const { verdict, text } = scriptedReply(said);
    expect(text).toBe(textsOf('ru').hardship[kind]);
    expect(decide(PLAN, START, verdict, ACTIVE)).toMatchObject({ tail: '', endsAs: null });
  },
);

test.each([
  'The project died after a year.',
  'My daughter led a friend of ours to it.',
  'Проект умер через год',
  'Сменщик заболел, и смену вела я',
  'I am ill at ease with conflicts, to be honest.',
  "I'm in hospital management since 2019",
  'Я болею за команду и отвечаю за её сроки',
])('without a model %j is an answer', (said) => {
  expect(scriptedReply(said).verdict).toBe('answered');
});

test('the scripted interviewer says who reads the interview, and invents no reply', () => {
  expect(scriptedReply('Кто это прочитает?')).toEqual({
    verdict: 'question',
    text: 'Ada reads it.',
    isGrounded: true,
  });
  expect(scriptedReply('Кто это придумал?')).toEqual({
    verdict: 'question',
    text: '',
    isGrounded: false,
  });
});

test('a question that is left open at the end goes straight to the closing', () => {
  const optional = { ...PLAN, questions: PLAN.questions.slice(0, 1) };
  const state = { ...START, offTopic: 1 };
  const plan = {
    ...optional,
    questions: optional.questions.map((question) => ({ ...question, mustAsk: false })),
  };
  const decision = decide(plan, state, 'off_topic', ACTIVE);
  expect(completeReply(decision, '')).toBe(plan.closing);
  expect(decision.endsAs).toBe('completed');
});

test('a wish for a language that the question does not have is not called a repetition', () => {
  const context = { ...ACTIVE, language: 'ru', isLanguageNew: true } as const;
  const reply = completeReply(decide(PLAN, START, 'clarify', context), '');
  expect(reply).toBe(`${textsOf('ru').questionsStayAsWritten}\n\nQuestion 1?`);
});

test('the scripted interviewer quotes what the documents say to a question, and to nothing else', () => {
  const toldWith = (said: string) => scriptedReply(said, {}, START, undefined, 'Four.');

  expect(toldWith('Когда начинается смена?')).toEqual({
    verdict: 'question',
    text: 'Four.',
    isGrounded: true,
  });
  expect(toldWith('Кто это прочитает?').text).toBe('Ada reads it.');
  expect(toldWith('Пеку ржаной хлеб.').text).not.toBe('Four.');
});

test('a question about the meaning of the question repeats it and settles nothing', () => {
  const decision = decide(PLAN, START, 'clarify', ACTIVE);
  expect(decision).toMatchObject({ verdict: 'clarify', speaker: 'model', endsAs: null });
  expect(completeReply(decision, 'Any loaf will do.')).toBe('');
  expect(completeReply(decision, '')).toBe(`${TEXTS.backToQuestion[1] ?? ''}\n\nQuestion 1?`);
  const asked = decideFrom(START, 'clarify', { mayAsk: true });
  expect(completeReply(asked, '')).toBe(`${TEXTS.questionAgain}\n\nQuestion 1?`);
  expect(decision.isQuestionOpen).toBeUndefined();
  expect(decision.state).toEqual({ ...START, asides: 1, unasked: 1 });
});

test('a clarification in a new language is followed by the question in that language', () => {
  const [first, ...others] = PLAN.questions;
  const asked = { ...first, translations: { ru: 'Вопрос 1?' } } as (typeof PLAN.questions)[number];
  const plan = { ...PLAN, questions: [asked, ...others] };
  const context = { ...ACTIVE, language: 'ru', isLanguageNew: true, mayAsk: true } as const;

  for (const verdict of ['clarify', 'question', 'aside'] as const) {
    expect(decide(plan, initialState(plan), verdict, context).tail).toBe('Вопрос 1?');
  }
});

test('the next question stands once, also when the model has already asked it', () => {
  const decision = decideFrom(START, 'answered');
  expect(completeReply(decision, 'Thank you. Question 2?')).toBe('');
  expect(completeReply(decision, 'Thank you.')).toBe('\n\nQuestion 2?');
});

test('how many answers were in the other language is kept with the state', () => {
  expect(decideFrom(START, 'answered', { inOtherLanguage: 1 }).state.inOtherLanguage).toBe(1);
  const once = { ...START, inOtherLanguage: 1 };
  expect(decideFrom(once, 'answered').state.inOtherLanguage).toBe(1);
  expect(decideFrom(once, 'answered', { inOtherLanguage: 0 }).state.inOtherLanguage).toBe(0);
});

test('a question that was explained eight times is left open', () => {
  const decision = decide(PLAN, { ...START, asides: 8 }, 'clarify', ACTIVE);
  expect(decision.state.settled).toEqual([{ id: PLAN.questions[0]?.id, outcome: 'unanswered' }]);
});

test('a stored state of another version is refused', () => {
  expect(readState(JSON.parse(JSON.stringify(START)))).toEqual(START);
  expect(() => readState({ v: 2 })).toThrow('cannot be read');
  expect(() => readState(null)).toThrow('cannot be read');
});

test('progress counts questions of the plan, not turns', () => {
  const at = (question: number) => ({ question, of: 3, unanswered: [] });
  expect(progress(PLAN, START)).toEqual(at(1));
  expect(progress(PLAN, after('vague', 'question', 'answered'))).toEqual(at(2));
  expect(progress(PLAN, after('answered', 'answered', 'answered'))).toEqual(at(3));
});

test('progress names the questions that are through without an answer', () => {
  const numbersOf = (...verdicts: readonly Verdict[]) =>
    progress(PLAN, after(...verdicts)).unanswered;
  expect(numbersOf('refusal', 'off_topic', 'off_topic')).toEqual([1, 2]);
  expect(numbersOf('vague', 'vague', 'refusal', 'answered')).toEqual([2]);
  // While it is asked once more, it is not through.
  expect(numbersOf('off_topic', 'off_topic', 'refusal', 'answered')).toEqual([2]);
});

test('a state that an earlier version stored goes on without the fields it lacks', () => {
  const {
    unasked: _,
    smallTalk: __,
    returned: ___,
    inOtherLanguage: ____,
    ...stored
  } = after('off_topic', 'off_topic', 'answered');
  const decision = decideFrom(readState(stored), 'answered');
  expect(decision.state).toMatchObject({ openQuestion: 'q1', returned: ['q1'], unasked: 0 });
});
