import { advance, initialState, type InterviewState } from '../../src/interview/plan/state';
import type { TurnContext } from '../../src/interview/plan/verdicts';
import type { InterviewPrompt, PromptLine } from '../../src/interview/prompts/interview-request';
import { textsOf } from '../../src/interview/texts/texts';
import { EN, heard, NEXT, PLAN, type Said, written } from './gates';

const BACK = EN.questionAbove[0] ?? '';
const PASSAGES = [
  {
    id: 'p1',
    document: 'Kitchens of Lisbon',
    headings: ['Benefits', 'Dental insurance'],
    text: 'The platform team has 12 engineers.',
  },
  { id: 'p2', document: 'Hours', headings: [], text: 'The working day begins at nine.' },
];
const FOUND = { searches: [{ query: 'team', passages: PASSAGES }] };

/** A question of the candidate in a turn for which the two passages were found. */
function asking(answer: string, prompt: Partial<InterviewPrompt> = FOUND): Said {
  return { answer, context: { isAsking: true }, prompt };
}

const TEAM = 'The platform team has 12 engineers.';

test.each(['1', '1, 2', '2,1', '[1]', '1;', ' 1 ', '1\n2', '0 1', '1 readers'])(
  'a reply that names the passage it is from is shown: %j',
  (sources) => {
    const { text, decision } = heard(
      { verdict: 'question', sources, asks: 'yes', text: TEAM },
      asking('How many engineers does the platform team have?'),
    );
    expect(text).toBe(`${TEAM}\n\n${BACK}`);
    expect(decision.isQuestionOpen).toBeUndefined();
  },
);

test.each(['', '3', '1, 3', 'none', 'none of the 2', '1a', 'a1', '1.5', '-1', ','])(
  'of a reply that names what is no source nothing is shown: %j',
  (sources) => {
    const { text, decision } = heard(
      { verdict: 'question', sources, asks: 'yes', text: TEAM },
      asking('How many engineers does the platform team have?'),
    );
    expect(text).toBe(`${EN.noSource}\n\n${BACK}`);
    expect(decision.isQuestionOpen).toBe(true);
  },
);

test.each([
  ['another passage', '2'],
  ['the interview itself', '0'],
  ['a fact about the interview', 'readers'],
])(
  'a statement that only an unnamed passage has is held back: the model names %s',
  (_, sources) => {
    const { text, decision } = heard(
      { verdict: 'question', sources, asks: 'yes', text: TEAM },
      asking('How many engineers does the platform team have?'),
    );
    expect(text).toBe(`${EN.noSource}\n\n${BACK}`);
    expect(decision.isQuestionOpen).toBe(true);
  },
);

test.each([
  ['its text', 'How large is the team?', 'The platform team has 12 engineers.'],
  ['one of its headings', 'Is there insurance?', 'You get dental insurance.'],
  ['the title of its document', 'Where is the kitchen?', 'Our kitchen is in Lisbon.'],
])('a passage proves what stands in %s', (_, answer, text) => {
  const fields = { verdict: 'question', sources: '1', asks: 'yes', text };
  expect(heard(fields, asking(answer)).text).toBe(`${text}\n\n${BACK}`);
});

test.each([
  ['progress', 'Our team of 7 has 14 rooms in Porto.'],
  ['disclosure', 'Our team of 8 has 15 rooms in Faro.'],
  ['readers', 'Our team of 9 has 16 rooms in Braga.'],
] as const)('a fact proves what it says where the model names it: %s', (name, fact) => {
  const facts = { progress: '.', disclosure: '.', readers: '.', [name]: fact };
  const said = asking('How large is the team?', { facts });
  const of = (sources: string): string =>
    heard({ verdict: 'question', sources, asks: 'yes', text: fact }, said).text;

  expect(of(name)).toBe(`${fact}\n\n${BACK}`);
  expect(of('0')).toBe(`${EN.noSource}\n\n${BACK}`);
});

describe('what needs no passage', () => {
  const line = (role: PromptLine['role'], text: string): PromptLine => ({ role, text });
  const of = (text: string, answer: string, prompt: Partial<InterviewPrompt> = {}): string =>
    heard({ verdict: 'question', sources: '0', asks: 'yes', text }, asking(answer, prompt)).text;

  test('is what the plan says', () => {
    const plan = { ...PLAN, closing: 'Our team replies within 4 days.' };
    const text = 'Our team replies within 4 days.';
    expect(of(text, 'When will the team reply?', { plan })).toBe(`${text}\n\n${BACK}`);
    expect(of(text, 'When will the team reply?')).toBe(`${EN.noSource}\n\n${BACK}`);
  });

  test("is the vacancy's title and the company's name", () => {
    const vacancy = { title: 'Night baker in Porto', company: 'Crumb and Crust' };
    const text = 'Our night baker is in Porto.';
    expect(of(text, 'What is the job?', { vacancy })).toBe(`${text}\n\n${BACK}`);
    expect(of(text, 'What is the job?')).toBe(`${EN.noSource}\n\n${BACK}`);
    const named = 'At Harbourline the working day begins at nine.';
    const fields = { verdict: 'question', sources: '2', asks: 'yes', text: named };
    const hours = asking('When does the working day begin?');
    expect(heard(fields, hours).text).toBe(`${named}\n\n${BACK}`);
  });

  test('is what a person of the team wrote, and nobody else', () => {
    const said = 'Our office in Braga has 44 desks.';
    const answer = 'How large is the office?';
    expect(of(said, answer, { history: [line('team', said)] })).toBe(`${said}\n\n${BACK}`);
    for (const role of ['candidate', 'interviewer'] as const) {
      expect(of(said, answer, { history: [line(role, said)] })).toBe(`${EN.noSource}\n\n${BACK}`);
    }
  });

  const remark = 'You lead 37 bakers.';
  const acknowledged = (prompt: Partial<InterviewPrompt>, answer = 'It went well.'): string =>
    heard({ verdict: 'answered', asks: 'no', text: remark }, { answer, prompt }).text;

  test.each<[string, Partial<InterviewPrompt>, string]>([
    ['the answer', {}, 'I lead 37 bakers.'],
    ['an earlier answer', { history: [line('candidate', 'I lead 37 bakers.')] }, 'It went well.'],
    ['a correction', { corrections: ['I lead 37 bakers.'] }, 'It went well.'],
  ])('is what the candidate wrote of themselves in %s', (_, prompt, answer) => {
    expect(acknowledged(prompt, answer)).toBe(`${remark}\n\n${NEXT}`);
  });

  test('is not what the interviewer made of it', () => {
    const history = [line('interviewer', 'You lead 37 bakers.')];
    expect(acknowledged({ history })).not.toContain('37');
  });
});

describe('a turn for which documents were searched', () => {
  const open = (
    fields: Readonly<Record<string, string>>,
    said: Said = asking('Is there a bonus?'),
  ): boolean | undefined =>
    heard({ verdict: 'answered', asks: 'no', text: '', ...fields }, said).decision.isQuestionOpen;

  test('leaves the question open where the model names no source', () => {
    expect(open({})).toBe(true);
    expect(open({ verdict: 'clarify' })).toBe(true);
  });

  test('leaves none open where it names one', () => {
    expect(open({ sources: '1' })).toBeUndefined();
    expect(open({ sources: '0' })).toBeUndefined();
  });

  test('leaves none open that code can reply to', () => {
    expect(open({}, asking('Who will read my answers?'))).not.toBe(true);
  });

  test('is what makes it open', () => {
    expect(open({}, asking('Is there a bonus?', {}))).toBeUndefined();
  });
});

describe('documents are searched', () => {
  const canSearch = { canSearch: true };
  const said = (prompt: Partial<InterviewPrompt>): Said => asking('Is there a bonus?', prompt);

  test.each<[string, Readonly<Record<string, string>>, Partial<InterviewPrompt>]>([
    ['that cannot be searched', { verdict: 'question' }, {}],
    ['that were searched', { verdict: 'question' }, { ...canSearch, ...FOUND }],
    ['whose passage is named', { verdict: 'question', sources: '0' }, canSearch],
    ['for an answer', { verdict: 'answered', asks: 'no' }, canSearch],
    ['to say the question again', { verdict: 'clarify', asks: 'no' }, canSearch],
    ['to say the question again, as far as the model says', { verdict: 'clarify' }, canSearch],
  ])('not: %s', (_, fields, prompt) => {
    expect(written({ text: '', ...fields }, said(prompt)).mustSearch).toBe(false);
  });

  test('before anything of the reply is shown or kept', () => {
    const gate = written({ verdict: 'question', asks: 'yes', text: TEAM }, said(canSearch));
    expect(gate.mustSearch).toBe(true);
    expect([gate.text, gate.hasSpoken, gate.unfinished]).toEqual(['', false, null]);
  });
});

describe('the numbers of questions that a model writes', () => {
  const plan = { ...PLAN, questions: ['a', 'b', 'c', 'd'].map((id) => question(id)) };
  const second = advance(plan, initialState(plan), 'answered');
  const third = advance(plan, second, 'answered');

  function question(id: string): (typeof PLAN.questions)[number] {
    return { id, text: `Question ${id}?`, mustAsk: true, kind: 'open', rubric: 'Any.' };
  }

  test.each([
    ['1', 'a'],
    ['2', 'b'],
    ['question 1', 'a'],
    ['1, 2', 'a'],
    ['', 'b'],
    ['0', 'b'],
    ['9', 'b'],
    ['3', 'b'],
    ['first', 'b'],
  ])('say what an addition belongs to, else it is the last answer: %j', (about, expected) => {
    const said = { plan, state: third, prompt: { plan } };
    const { decision } = heard({ verdict: 'addition', asks: 'no', about, text: '' }, said);
    expect(decision.about).toBe(about === '3' ? undefined : expected);
    expect(decision.verdict).toBe(about === '3' ? 'answered' : 'addition');
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['3', ['c'], ['c']],
    ['3, 4', ['c', 'd'], ['c', 'd']],
    ['questions 4 and 3', ['d', 'c'], ['c', 'd']],
    ['1 4', ['a', 'd'], ['d']],
    ['0 5 77', [], []],
    ['', [], []],
  ])('say which later ones an answer touches on: %j', (touches, written, kept) => {
    const said = { plan, state: second, prompt: { plan } };
    const reply = heard({ verdict: 'answered', asks: 'no', touches, text: '' }, said);
    expect(reply.touches).toEqual(written);
    expect(reply.decision.state.touched.map(({ id }) => id)).toEqual(kept);
  });
});

describe('what the model says of the answer', () => {
  test.each(['yes', ' YES ', 'Yes'])('it asks something: %j', (asks) => {
    const { text, decision } = heard({ verdict: 'answered', asks, text: '' });
    expect(text).toContain(EN.noSourceToo);
    expect(decision.isQuestionOpen).toBe(true);
  });

  test.each(['no', ' NO ', 'unclear', 'adjustments'])('it asks nothing: %j', (asks) => {
    const answer = 'I wrote it. Is the job remote?';
    const { text, decision } = heard({ verdict: 'answered', asks, text: 'Thanks.' }, { answer });
    expect(text).toBe(`Thanks.\n\n${NEXT}`);
    expect(decision.isQuestionOpen).toBeUndefined();
  });

  test.each(['adjustment', ' Adjustment '])('it asks for an adjustment: %j', (asks) => {
    const { decision } = heard({ verdict: 'answered', asks, text: 'Thanks.' });
    expect(decision).toMatchObject({ personNeededFor: 'adjustment' });
  });

  const NEEDS = 'I have dyslexia; could somebody read the questions to me on the phone?';

  test.each([
    ['', 'adjustment', undefined],
    ['  ', 'adjustment', undefined],
    ['no', undefined, undefined],
  ])('where it says nothing of it, the words of the candidate count: %j', (asks, needs, open) => {
    const { decision } = heard({ verdict: 'answered', asks, text: 'Thanks.' }, { answer: NEEDS });
    expect([decision.personNeededFor, decision.isQuestionOpen]).toEqual([needs, open]);
  });
});

describe('what is noted of a reply', () => {
  test('is the question of the plan at its end, and where it begins', () => {
    const { asked, text } = heard({ verdict: 'answered', asks: 'no', text: 'Thank you, noted.' });
    expect(asked).toEqual({
      text: `Thank you, noted.\n\n${NEXT}`,
      question: { id: 'incident', start: text.length - NEXT.length },
    });
  });

  test('is that it asks none', () => {
    const said: Said = { answer: 'Hi', context: { aside: 'greeting' } };
    const { asked, text } = heard({ verdict: 'aside', asks: 'no', text: '' }, said);
    expect(asked).toEqual({ text, question: null });
  });

  test('is no empty piece', () => {
    const replies = [
      heard({ verdict: 'vague', asks: 'no', text: 'Which part of it was yours?' }),
      heard({ verdict: 'answered', asks: 'no', text: '' }),
      heard({ verdict: 'answered', asks: 'no', text: 'Our team has 12 people.' }),
    ];
    expect(replies.flatMap(({ pieces }) => pieces)).not.toContain('');
  });

  test('is that a reply has begun only once something of it was shown', () => {
    expect(written({ verdict: 'question', asks: 'no', text: 'Thank you.' }).hasSpoken).toBe(false);
    expect(written({ verdict: 'answered', asks: 'no', text: 'Thank you.' }).hasSpoken).toBe(true);
  });
});

describe('a question that gets no reply', () => {
  const invents = 'Thanks. Yes, a bonus of 20 percent.';
  const asks = 'I led a rewrite. Is there a bonus, by the way?';
  const of = (
    fields: Readonly<Record<string, string>>,
    said: { readonly context?: Partial<TurnContext>; readonly state?: InterviewState } = {},
    answer = asks,
  ) => heard({ asks: 'yes', sources: '0', text: invents, ...fields }, { answer, ...said });

  test('is passed on before the next question', () => {
    const { text, decision } = of({ verdict: 'answered' });
    expect(text).toBe(`Thanks.\n\n${EN.noSource}\n\n${NEXT}`);
    expect(decision).toMatchObject({ isQuestionOpen: true, verdict: 'answered' });
  });

  test('is passed on in place of the whole reply, before the question that leads back', () => {
    const { text, decision } = of({ verdict: 'question', text: 'A bonus of 20 percent.' });
    expect(text).toBe(`${EN.noSource}\n\n${BACK}`);
    expect(decision.isQuestionOpen).toBe(true);
  });

  test('is passed on before the question of a push-back that lost its words', () => {
    const { text } = of({ verdict: 'vague', text: 'A bonus of 20 percent.' });
    expect(text).toBe(`${EN.noSource}\n\n${PLAN.questions[0]?.followUp ?? ''}`);
  });

  test('is passed on behind the words of a push-back, and before its question', () => {
    const { text } = of({ verdict: 'vague', text: invents });
    expect(text).toBe(`Thanks.\n\n${EN.noSource}\n\n${PLAN.questions[0]?.followUp ?? ''}`);
  });

  test('is passed on in the language of the interview', () => {
    const said: Said = { answer: 'Есть ли премия?', language: 'ru', context: { isAsking: true } };
    const fields = { verdict: 'question', asks: 'yes', sources: '0', text: 'Премия 20 процентов.' };
    const ru = textsOf('ru');
    expect(heard(fields, said).text).toBe(`${ru.noSource}\n\n${ru.questionAbove[0] ?? ''}`);
  });

  test('is passed on where the model is silent although it has a source', () => {
    const { text, decision } = of({ verdict: 'question', text: '' });
    expect(text).toBe(`${EN.noSource}\n\n${BACK}`);
    expect(decision.isQuestionOpen).toBe(true);
  });

  test('leaves the words of a clarification, which no source has to prove', () => {
    const { text, decision } = of({ verdict: 'clarify', asks: 'no', text: 'It means your work.' });
    expect(text).toBe('It means your work.');
    expect(decision.isQuestionOpen).toBeUndefined();
  });
});
