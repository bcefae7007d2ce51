import { initialState } from '../../src/interview/plan/state';
import type { TurnContext } from '../../src/interview/plan/verdicts';
import { textsOf } from '../../src/interview/texts/texts';
import { ASK, EN, heard, NEXT, PLAN, type Said, TestGate, written } from './gates';

test('a push-back that asks for two or three sentences is shown whole', () => {
  const text = 'Could you pick one service and tell me in 2–3 sentences what you did?';
  expect(heard({ verdict: 'vague', text }).text).toBe(text);
});

test('an acknowledgement may write 1,200 where the candidate wrote 1200', () => {
  const text = 'You handled about 1,200 requests a second.';
  const answer = 'About 1200 requests a second, on Go.';
  expect(heard({ verdict: 'answered', text }, { answer }).text).toBe(`${text}\n\n${NEXT}`);
});

test.each([
  ['of which nothing is left', 'Our team has 12 people, so how many were in yours?', ASK],
  [
    'that lost its question',
    'Thank you. We have 12 services; which was yours?',
    `Thank you.\n\n${ASK}`,
  ],
  ['that never asked', 'Thank you, noted.', `Thank you, noted.\n\n${ASK}`],
])("a push-back %s asks as the plan's followUp does", (_, text, expected) => {
  expect(heard({ verdict: 'vague', asks: 'no', text }).text).toBe(expected);
});

test("a follow-up without its question asks the plan's probe", () => {
  const text = 'Thank you. The salary is 5,000.';
  expect(heard({ verdict: 'follow_up', asks: 'no', text }).text).toBe(
    'Thank you.\n\nHow did you measure that?',
  );
});

test('a push-back in another language than the followUp has takes a fixed wording', () => {
  const { text } = heard({ verdict: 'vague', text: 'Спасибо.' }, { language: 'ru' });
  expect(text).toBe(`Спасибо.\n\n${textsOf('ru').pushBacks[0] ?? ''}`);
});

test.each([
  ['It scaled, you know what I mean? I wrote the cache.', 'Thank you, you wrote the cache.'],
  ['Понятно объясняю? Кэш писал я.', 'Спасибо, кэш писали вы.'],
])('a "?" inside an answer is no question where the model says so: %s', (answer, text) => {
  const { decision, text: shown } = heard({ verdict: 'answered', asks: 'no', text }, { answer });
  expect(shown).toBe(`${text}\n\n${NEXT}`);
  expect(decision.isQuestionOpen).toBeUndefined();
});

test('the "?" counts where the model does not say whether something was asked', () => {
  const answer = 'I wrote the cache. Is the job remote?';
  const { decision, text } = heard({ verdict: 'answered', text: 'Thank you. Yes.' }, { answer });
  expect(text).toContain(EN.noSourceToo);
  expect(decision.isQuestionOpen).toBe(true);
});

test('a reply that was held back is a question that stays open, whatever the model says', () => {
  const answer = 'I led a rewrite. Is there a bonus, by the way?';
  const fields = { verdict: 'answered', asks: 'no', text: 'Thanks. Yes, a bonus of 20 percent.' };
  const { decision, text } = heard(fields, { answer });
  expect(text).toBe(`Thanks.\n\n${EN.noSource}\n\n${NEXT}`);
  expect(decision.isQuestionOpen).toBe(true);
});

describe('a sloppy model that only thanks and invents a salary', () => {
  const text = 'Thanks! By the way, the salary is 734000 a month.';
  const asked = PLAN.questions[0]?.text ?? '';

  test.each(['Please repeat the question', 'What do you mean by owned'])(
    'leaves the question to be said again: %s',
    (answer) => {
      const said = { answer, context: { mayAsk: true } };
      const { text: shown, decision } = heard({ verdict: 'clarify', text }, said);

      expect(shown).toBe(`${EN.questionAgain}\n\n${asked}`);
      expect(decision.isQuestionOpen).not.toBe(true);
    },
  );

  test('makes no case for the team of "what do you want to hear?"', () => {
    const said = { answer: 'What do you want to hear?', context: { mayAsk: true } };
    const { text: shown, decision } = heard({ verdict: 'clarify', text }, said);

    expect(shown).toBe(`${EN.questionAgain}\n\n${asked}`);
    expect(decision.isQuestionOpen).not.toBe(true);
  });

  test.each([
    ['Am I talking to a machine?', EN.isProgram(false)],
    ['Who will read my answers?', 'Ada reads it.'],
    ['How many questions are left?', EN.progressAsked({ question: 1, of: 2, minutes: 5 }, null)],
  ])('leaves what code knows to code: %s', (answer, known) => {
    for (const [verdict, sources] of [
      ['question', '7'],
      ['question', '0'],
      ['answered', ''],
      ['vague', '0'],
    ] as const) {
      const { text: shown, decision } = heard({ verdict, sources, text }, { answer });

      expect(shown).toBe(`${known}\n\n${EN.questionAbove[0] ?? ''}`);
      expect(decision.isQuestionOpen).not.toBe(true);
    }
  });

  test.each([
    'You know what I mean? A migration where nothing may break. I led it.',
    'function retry(n) {\n  return n > 3 ? null : call();\n}\n// mine, in production',
  ])('answers no question that nobody asked: %s', (answer) => {
    const { text: shown, decision } = heard({ verdict: 'answered', text }, { answer });

    expect(shown).toBe(`Thanks!\n\n${NEXT}`);
    expect(decision.isQuestionOpen).toBeUndefined();
  });

  test('takes no request for an adjustment for a question', () => {
    const answer = 'I have dyslexia; could somebody read the questions to me on the phone?';
    const { text: shown, decision } = heard({ verdict: 'question', text }, { answer });

    expect(shown).toBe(EN.adjustmentNoted);
    expect(decision).toMatchObject({ personNeededFor: 'adjustment' });
  });
});

test('a fact that nobody asked for is only left out', () => {
  const { decision, text } = heard({
    verdict: 'answered',
    asks: 'no',
    text: 'Thanks, and by the way the salary is 5,000.',
  });
  expect(text).toBe(`${EN.acknowledgements[0] ?? ''}\n\n${NEXT}`);
  expect(decision.isQuestionOpen).toBeUndefined();
});

test('a reply that moves on leaves the questions to the plan', () => {
  const text = 'Thank you, noted. Have you ever helped to resolve an incident in production?';
  expect(heard({ verdict: 'answered', asks: 'no', text }).text).toBe(
    `Thank you, noted.\n\n${NEXT}`,
  );
});

test('the last sentence does not wait for the labels', () => {
  const gate = new TestGate();

  gate.take('{"verdict":"answered","asks":"no","text":"Thank you, noted."');

  expect(gate.text).toBe('Thank you, noted.');
});

test('an adjustment that is asked for as a question is noted once, and is no open question', () => {
  const answer = 'I have dyslexia; could somebody read the questions to me on the phone?';
  const { decision, text } = heard(
    { verdict: 'question', asks: 'adjustment', text: '' },
    { answer },
  );
  expect(text).toBe(EN.adjustmentNoted);
  expect(decision).toMatchObject({ personNeededFor: 'adjustment' });
  expect(decision.isQuestionOpen).toBeUndefined();
});

describe('an answer whose last message says that the candidate goes on later', () => {
  const LATER: Said = { context: { isLaterToo: true } };
  const PAUSED = EN.paused({ until: null, when: null, hasAnswers: true });

  test.each([
    ['keeps', 'A service in Go, noted. Which part was yours?', ''],
    ['gets', 'A service in Go, noted.', `\n\n${ASK}`],
  ])('%s the question of its push-back', (_, text, asked) => {
    const { text: shown, decision } = heard({ verdict: 'vague', asks: 'no', text }, LATER);

    expect(shown).toBe(`${text}${asked}\n\n${PAUSED}`);
    expect(decision.state.pushedBack).toBe(true);
  });

  test('hears the question once where the model has no words for it', () => {
    const { text } = heard({ verdict: 'follow_up', asks: 'no', text: '' }, LATER);

    expect(text).toBe(`How did you measure that?\n\n${PAUSED}`);
  });
});

test.each([
  ['Hello! So, describe an incident in production that you resolved.', 'Hello!'],
  ['Hello! How are you today?', 'Hello!'],
  ['Hello! Now to the incident.', 'Hello!'],
  ['Of course. Take a moment.', 'Of course. Take a moment.'],
])('a reply to an aside asks and repeats nothing: %s', (text, expected) => {
  const state = { ...initialState(PLAN), questionIndex: 1, openQuestion: 'incident' };

  expect(heard({ verdict: 'aside', asks: 'no', text }, { answer: 'Hi', state }).text).toBe(
    expected,
  );
});

test('a question that is said in a new language stands once', () => {
  const plan = {
    ...PLAN,
    questions: PLAN.questions.map((one) => ({
      ...one,
      translations: { ru: 'Расскажите о сервисе, за который отвечали вы.' },
    })),
  };
  const said = { plan, language: 'ru', context: { isLanguageNew: true } } as const;
  const text = 'Хорошо. Расскажите, за какой сервис отвечали вы?';

  expect(heard({ verdict: 'clarify', text }, said).text).toBe(
    'Хорошо.\n\nРасскажите о сервисе, за который отвечали вы.',
  );
});

test('an acknowledgement before the end may use the words that ask what the candidate would like to know', () => {
  const state = { ...initialState(PLAN), questionIndex: 1, openQuestion: 'incident' };
  const text = 'You wrote it down later, in turn.';
  const answer = 'I kept a log.';

  const { text: shown } = heard(
    { verdict: 'answered', asks: 'no', text },
    { answer, state, context: { canAnswer: true } },
  );

  expect(shown).toBe(`${text}\n\nGoodbye.\n\n${EN.yourQuestions}`);
});

describe('the labels of the model', () => {
  test('are kept where its verdict is', () => {
    expect(heard({ verdict: 'answered', text: '', labels: '5 answer' }).labels).toBe('5 answer');
  });

  test('do not make an answer of thanks, which code hears', () => {
    const said: Said = { answer: 'Thanks!', context: { aside: 'thanks' } };

    expect(heard({ verdict: 'answered', text: '', labels: '5 answer' }, said).labels).toBe('');
  });

  test('do not hide the answer of a model that only ever says clarify', () => {
    const state = { ...initialState(PLAN), unasked: 2 };

    const { labels, decision } = heard(
      { verdict: 'clarify', text: '', labels: '5 question' },
      { state },
    );

    expect(decision.verdict).toBe('answered');
    expect(labels).toBe('');
  });

  test('are kept after the end, where no verdict counts', () => {
    const said: Said = { context: { status: 'completed' } };

    expect(heard({ verdict: 'answered', text: '', labels: '5 addition 1' }, said).labels).toBe(
      '5 addition 1',
    );
  });
});

test('an adjustment is kept with a reply that is stopped, so that it is told when the interview continues', () => {
  const gate = written({ verdict: 'answered', asks: 'adjustment', text: 'Two breaks, then.' });

  expect(gate.unfinished).toMatchObject({
    personNeededFor: 'adjustment',
    tail: `${EN.adjustmentNoted}\n\n${NEXT}`,
  });
});

test('whoever confirms that they stop is promised no adjustment', () => {
  const state = { ...initialState(PLAN), isLeaving: true };

  const { text } = heard({ verdict: 'leave', asks: 'adjustment', text: '' }, { state });

  expect(text).toBe(EN.withdrawn({ hasAnswers: false }));
});

describe('documents are searched', () => {
  const prompt = { canSearch: true };

  test.each([
    ['a question without a source', 'question', ''],
    ['an answer that also asks', 'answered', 'yes'],
    ['a question about the question that also asks', 'clarify', 'yes'],
  ])('for %s', (_, verdict, asks) => {
    expect(written({ verdict, asks, text: '' }, { prompt }).mustSearch).toBe(true);
  });

  test.each<[string, string, Partial<TurnContext>]>([
    ['a greeting in fixed words', 'question', { aside: 'greeting' }],
    ['a wish for a person', 'question', { wish: 'person' }],
    ['an objection', 'question', { wish: 'objection' }],
    ['a pause', 'later', {}],
    ['a wish to stop', 'leave', {}],
  ])('for %s they are not', (_, verdict, context) => {
    const gate = written({ verdict, asks: 'yes', text: '' }, { prompt, context });

    expect(gate.mustSearch).toBe(false);
    expect(gate.end().isQuestionOpen).toBeUndefined();
  });
});

test('a search that a model makes of a greeting leaves no question open', () => {
  const said: Said = {
    answer: 'Hi, how are you?',
    context: { aside: 'greeting' },
    prompt: { searches: [{ query: 'how are you', passages: [] }] },
  };

  expect(heard({ verdict: 'question', text: '' }, said).decision.isQuestionOpen).toBeUndefined();
});
