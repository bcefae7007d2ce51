import type { InterviewInFull, RatedQuestion, Scoring } from '../../../web/console/reading/calls';
import { othersFor, reportOf } from '../../../web/console/records/report/report';
import type { Line } from '../../../web/console/records/report/report';

function line(id: string, text: string, question: number | null, name = 'answer'): Line {
  return { id, text, role: 'user', label: { name, question } } as unknown as Line;
}

const QUESTIONS = [
  { id: 'last', text: 'What did you bake last?', state: 'answered' },
  { id: 'why', text: 'Why?', state: 'not_asked' },
] as unknown as InterviewInFull['questions'];

const LINES = [
  { id: 'q', text: 'What did you bake last?', role: 'assistant', label: null } as unknown as Line,
  line('a', 'A rye loaf, on a sourdough.', 1),
  line('b', 'When do you decide?', null, 'question'),
  line('c', 'It was Tuesday.', 1, 'addition'),
];

const RATED = {
  id: 'last',
  evidence: [
    { messageId: 'a', start: 0, end: 10 },
    { messageId: 'c', start: 0, end: 15 },
  ],
  criteria: [
    {
      name: 'craft',
      own: { mark: null, note: 'Not asked.' },
      others: [{ by: 'Omar', mark: 4, note: null, difference: null }],
    },
  ],
  isRated: true,
} as unknown as RatedQuestion;

const SCORING = {
  state: 'done',
  overall: 3.5,
  questions: [
    {
      id: 'last',
      criteria: [{ name: 'craft', mark: 4, quotes: [{ messageId: 'a', start: 0, end: 10 }] }],
      facts: [{ name: 'nights', value: 'yes', quotes: [{ messageId: 'x', start: 0, end: 3 }] }],
    },
  ],
} as unknown as Scoring;

function report(ratings: readonly RatedQuestion[] = [], scorings: readonly Scoring[] = []) {
  return reportOf({ interview: { questions: QUESTIONS }, lines: LINES, ratings, scorings });
}

describe('the report of an interview', () => {
  test('has the words of the candidate by question, and the others apart', () => {
    const { questions, also } = report();

    expect(questions.map(({ answers }) => answers.map(({ id }) => id))).toEqual([['a', 'c'], []]);
    expect(questions.map(({ number, state }) => [number, state])).toEqual([
      [1, 'answered'],
      [2, 'not_asked'],
    ]);
    expect(also.map(({ id }) => id)).toEqual(['b']);
  });

  test('has what may be shown of ratings and scores, and each quote once', () => {
    const { questions, overall } = report([RATED], [SCORING]);

    expect(overall).toBe(3.5);
    expect(questions[0]?.quotes).toEqual(['A rye loaf']);
    expect(questions[0]?.criteria).toEqual([
      {
        name: 'craft',
        own: null,
        ownNote: 'Not asked.',
        others: [{ by: 'Omar', mark: 4, note: null }],
        model: 4,
      },
    ]);
    expect(questions[0]?.facts).toEqual([{ name: 'nights', value: 'yes' }]);
    expect(questions[0]?.isClosed).toBe(false);
  });

  test('says that others are hidden until the own rating, and has no mark then', () => {
    const criteria = [{ name: 'craft', own: null, others: [] }];
    const unrated = { ...RATED, criteria, isRated: false } as unknown as RatedQuestion;
    const { questions } = report([unrated]);

    expect(questions[0]?.isClosed).toBe(true);
    expect(questions[0]?.criteria).toEqual([
      { name: 'craft', own: undefined, ownNote: null, others: [], model: undefined },
    ]);
  });

  test('takes the last scoring that has ended', () => {
    const running: Scoring = { ...SCORING, state: 'running', overall: null, questions: [] };

    expect(report([], [SCORING, running]).overall).toBe(3.5);
    expect(report([], [running]).overall).toBeNull();
  });
});

describe('what others gave', () => {
  const evidence = [{ messageId: 'a', start: 0, end: 10 }];
  const question = (facts: { isRated: boolean; isFixed: boolean }) =>
    ({ id: 'q', evidence, criteria: [{ name: 'craft' }], ...facts }) as unknown as RatedQuestion;
  const rated = question({ isRated: true, isFixed: false });
  const unrated = question({ isRated: false, isFixed: false });
  const fixed = question({ isRated: true, isFixed: true });

  test.each([
    ['is offered while the own ratings can be changed', [rated, unrated], true, false, 'offered'],
    ['is hidden before the first own rating', [unrated], true, false, 'hidden'],
    ['is shown where somebody has asked for it', [rated], true, true, 'shown'],
    ['is shown where the own ratings are fixed already', [fixed], true, false, 'shown'],
    ['is shown to whoever does not rate', [], true, false, 'shown'],
    ['is shown where nothing can be rated yet', [unrated], false, false, 'shown'],
  ])('%s', (_what, own, canRate, isWanted, others) => {
    expect(othersFor(own, { canRate, isWanted })).toBe(others);
  });
});
