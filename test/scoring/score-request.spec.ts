import { sha256 } from '../../src/common/ids';
import type { SpokenLine } from '../../src/scoring/heard-words';
import { contextOf } from '../../src/scoring/rating-context';
import { hasAsked, inputHashOf, itemsOf, requestOf } from '../../src/scoring/score-request';
import { CRITERION_SCHEMA, FACT_SCHEMA } from '../../src/scoring/sample-reader';
import type { SaidByQuestion } from '../../src/scoring/scoring.repository';
import { rubricOf } from '../../src/vacancies';
import { vacancyDraft } from '../support/vacancies';

/** What a rater is shown of a conversation, and what of it names the rated text. */

const { plan } = vacancyDraft();
const RUBRICS = plan.questions.map(rubricOf);
const ITEMS = RUBRICS.flatMap(itemsOf);
const [BREAD, , EARLY] = ITEMS;

const line = (seq: number, isCandidate: boolean, text: string, isNotice = false): SpokenLine => ({
  id: `id-${String(seq)}`,
  seq,
  isCandidate,
  isNotice,
  text,
});
const LINES = [
  line(1, false, 'What did you bake last?'),
  line(2, true, 'A loaf of rye.'),
  line(3, false, 'Which flour did you weigh?'),
  line(4, false, 'A person will reply on Monday.', true),
  line(5, true, 'Two kilos of whole rye, and I rise at three.'),
  line(6, false, 'Thanks. Can you start at four?'),
  line(7, true, 'Yes, as I said.'),
  line(8, false, 'That was all.'),
  line(9, true, 'And 80 % water.'),
];
const message = (seq: number) => ({ id: `id-${String(seq)}`, text: LINES[seq - 1]?.text ?? '' });
const SAID: SaidByQuestion = {
  answers: new Map([
    ['last', [message(2), message(5), message(9)]],
    ['early', [message(7)]],
  ]),
  touching: new Map([['early', [message(5)]]]),
  places: new Map([
    ['id-2', { seq: 2, askedId: 'last' }],
    ['id-5', { seq: 5, askedId: 'last' }],
    ['id-7', { seq: 7, askedId: 'early' }],
    ['id-9', { seq: 9, askedId: null }],
  ]),
  unplaced: [],
  thanks: [],
};
const CONTEXT = contextOf(plan, SAID, LINES);

function asked(item = BREAD, context: typeof CONTEXT | null = CONTEXT) {
  if (item === undefined) throw new Error('the plan has no such item');
  const messages = SAID.answers.get(item.rubric.questionId) ?? [];
  const request = requestOf(item, messages, context);
  return { ...request, data: JSON.parse(request.request.messages[0]?.content ?? '') as object };
}

test('messages have short names, with the lines of the interviewer between them and no notice', () => {
  expect(asked().data).toEqual({
    question: 'What did you bake last?',
    messages: [
      { id: 'm1', text: 'A loaf of rye.' },
      { interviewer: 'Which flour did you weigh?' },
      { id: 'm2', text: 'Two kilos of whole rye, and I rise at three.' },
      { id: 'm3', said: 'after the end', text: 'And 80 % water.' },
    ],
    criterion: { name: 'answer', rubric: 'Bread.' },
  });
});

test('of a question that was asked once more, no line to the questions in between is shown', () => {
  const lines = [
    line(1, false, 'What did you bake last?'),
    line(2, true, 'A loaf.'),
    line(3, false, 'Which one?'),
    line(4, true, 'The weather is fine.'),
    line(5, false, 'Can you start at four?'),
    line(6, true, 'Yes, I can.'),
    line(7, false, 'One question was left open. What did you bake last?'),
    line(8, true, 'A loaf of rye.'),
  ];
  const own = [2, 8].map((seq) => ({ id: `id-${String(seq)}`, text: lines[seq - 1]?.text ?? '' }));
  const asked = { 2: 'last', 4: 'last', 6: 'early', 8: 'last' };
  const places = new Map(
    Object.entries(asked).map(([seq, askedId]) => [`id-${seq}`, { seq: Number(seq), askedId }]),
  );
  const said = { ...SAID, answers: new Map([['last', own]]), places };
  const item = BREAD ?? ITEMS[0];
  if (item === undefined) throw new Error('the plan has no such item');

  const { request } = requestOf(item, own, contextOf(plan, said, lines));

  expect(JSON.parse(request.messages[0]?.content ?? '')).toMatchObject({
    messages: [
      { id: 'm1', text: 'A loaf.' },
      { interviewer: 'Which one?' },
      { interviewer: 'One question was left open. What did you bake last?' },
      { id: 'm2', text: 'A loaf of rye.' },
    ],
  });
});

test('what was said about a question when another one waited is shown with the number of that one', () => {
  expect(asked(EARLY).data).toMatchObject({
    messages: [
      { id: 'm1', said: 'to question 1', text: 'Two kilos of whole rye, and I rise at three.' },
      { id: 'm2', text: 'Yes, as I said.' },
    ],
  });
});

test('the names are mapped back, and what was said to another question may be quoted', () => {
  const read = (quotes: object[]) => asked(EARLY).read(JSON.stringify({ quotes, result: 'yes' }));

  expect(read([{ messageId: 'm1', text: 'I rise at three' }])).toMatchObject({
    kind: 'yes',
    quotes: [{ messageId: 'id-5', start: 28, end: 43 }],
  });
  expect(read([{ messageId: 'm1', text: 'Which flour did you weigh?' }])).toMatchObject({
    kind: 'dropped',
    why: 'no_quote',
  });
});

test('a fact may hold with conditions, and needs a quote that names them', () => {
  const read = (output: object) => asked(EARLY).read(JSON.stringify(output));
  const quotes = [{ messageId: 'm2', text: 'Yes, as I said' }];

  for (const result of ['with_conditions', 'with conditions', 'With-Conditions']) {
    expect(read({ quotes, result })).toMatchObject({ kind: 'with_conditions' });
  }
  expect(read({ quotes: [], result: 'with_conditions' })).toMatchObject({ kind: 'dropped' });
});

test('a knock-out that lists no fact asks whether the answer is a yes: its rubric is no statement', () => {
  expect(asked(EARLY).data).toMatchObject({
    statement: 'The candidate answers the question with yes.',
  });
});

test('quotes are asked for before the mark, and before the fact', () => {
  const keysOf = ({ jsonSchema }: { jsonSchema: object }) =>
    Object.keys((jsonSchema as { properties: object }).properties);

  expect(keysOf(CRITERION_SCHEMA)).toEqual(['quotes', 'result', 'mark', 'lookedFor', 'reason']);
  expect(keysOf(FACT_SCHEMA)).toEqual(['quotes', 'result']);
});

test('the requests about one question begin alike', () => {
  const anchors = { 1: 'a', 2: 'b', 3: 'c', 4: 'd', 5: 'e' };
  const criteria = ['crust', 'crumb'].map((name) => ({ name, weight: 50, anchors }));
  const [first] = RUBRICS;
  if (first === undefined) throw new Error('the plan has no question');
  const rubric = { ...first, criteria };
  const [one = '', other = ''] = itemsOf(rubric).map(
    (item) => requestOf(item, [message(2)]).request.messages[0]?.content ?? '',
  );

  expect(one.slice(0, one.indexOf('"criterion"'))).toBe(
    other.slice(0, other.indexOf('"criterion"')),
  );
});

describe('the hash of what is rated', () => {
  test('is the one of earlier versions, whose runs and ratings stay readable', () => {
    // The user message of version 1 of the prompt, word for word.
    const before =
      '{"question":"What did you bake last?","criterion":{"name":"answer","rubric":"Bread."},' +
      '"messages":[{"id":"id-2","text":"A loaf of rye."}]}';
    if (BREAD === undefined) throw new Error('the plan has no criterion');

    expect(inputHashOf(BREAD, [message(2)])).toBe(sha256(before));
    expect(asked().origin.inputHash).toBe(inputHashOf(BREAD, SAID.answers.get('last') ?? []));
  });

  test('tells the same messages of another text apart, and so do those of an earlier question', () => {
    const { origin } = asked(EARLY);
    if (EARLY === undefined) throw new Error('the plan has no fact');
    const sample = { questionId: 'early', kind: 'fact' as const, item: 'condition', ...origin };
    const wanted = { item: EARLY, request: asked(EARLY) };
    const edited = origin.input.map((one, index) => (index === 0 ? { ...one, sha256: 'x' } : one));

    expect(hasAsked(sample, [wanted])).toBe(true);
    expect(hasAsked({ ...sample, input: edited }, [wanted])).toBe(false);
    expect(hasAsked({ ...sample, inputHash: 'x' }, [wanted])).toBe(false);
    expect(hasAsked({ ...sample, item: 'other' }, [wanted])).toBe(false);
  });
});
