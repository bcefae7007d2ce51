import { randomUUID } from 'node:crypto';
import { VacancyRepository } from '../../src/vacancies';
import { streamCalls } from '../../tools/fake-model/tool-replies';
import injections from '../scoring/data/injections.json';
import { vacancyDraft } from '../support/vacancies';
import { textsOf } from '../../src/interview/texts/texts';
import { replyWith } from '../../tools/fake-model/model-server';
import {
  SHIFTS,
  callSearch,
  eventsOf,
  fromPassage,
  requestsSince,
  storeDocuments,
  storeFewDocuments,
} from './knowledge-turns';
import { startInterviews, closeInterviews, words, live } from './interviews';
import { newCandidate } from './interviewee';
import type { TestApp } from '../support/app';

const PAY = 'Bakers are paid 3,100 euros a month, on the last working day.';
const NO_SOURCE = textsOf('en').noSource;

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  await storeDocuments(app, {
    'shifts.en.md': `# Shifts\n\n${SHIFTS}`,
    'offer.en.md': `# Offer\n\n${PAY}`,
  });
});

afterAll(() => closeInterviews(app));

test('the model searches and replies from the passage that it names', async () => {
  const candidate = await newCandidate(app);
  const from = app.model.requests.length;
  app.model.next(callSearch('early shift begins'), fromPassage('At four in the morning.'));

  await candidate.answer('When does the early shift begin?');

  const [reply] = await candidate.replies();
  expect(reply).toMatch(/^At four in the morning\./);
  expect(reply).not.toContain(app.vacancy.plan.questions[0]?.text);
  expect(reply).toContain(textsOf('en').questionAbove[0]);
  const [first, second] = requestsSince(app, from);
  expect(first).toMatchObject({ tools: ['search_knowledge'] });
  expect(first?.data.passages).toBeUndefined();
  expect(second?.data.searchedFor).toEqual(['early shift begins']);
  expect(second?.data.passages?.[0]).toMatchObject({ n: 1, document: 'shifts.en.md' });
  expect(second?.data.passages?.[0]?.text).toContain(SHIFTS);
  expect(await candidate.attempts()).toEqual(['ok', 'ok']);
  expect(await candidate.requests()).toBe(1);
  expect(await candidate.attention()).toEqual([]);
});

test('the transcript contains the call, its result and the changes of agent before the reply', async () => {
  const candidate = await newCandidate(app);
  app.model.next(callSearch('early shift'), fromPassage('At four.'));

  await candidate.answer('When does the early shift begin?');

  expect(await eventsOf(app, candidate)).toEqual([
    { type: 'agent', agent: 'technical', from: 'greeter' },
    { type: 'agent', agent: 'answers', from: 'technical' },
    {
      type: 'call',
      callId: expect.any(String) as string,
      tool: 'search_knowledge',
      input: { query: 'early shift' },
    },
    {
      type: 'result',
      callId: expect.any(String) as string,
      output: { documents: expect.arrayContaining(['shifts.en.md']) as string[] },
      passages: expect.arrayContaining([
        expect.objectContaining({ document: 'shifts.en.md' }),
      ]) as object[],
    },
  ]);
  const roles = await app.sql<{ role: string }>(
    'select role from message where conversation_id = $1 order by seq',
    [candidate.id],
  );
  expect(roles.slice(-3).map(({ role }) => role)).toEqual(['event', 'event', 'assistant']);
});

test('a turn with a search takes one more commit', async () => {
  const labels = ['turn.open', 'turn.tool', 'turn.close', 'llm.settle'];
  const commits = (): Promise<number[]> =>
    Promise.all(
      labels.map((label) => app.metrics('uow_commits_total', { label, outcome: 'committed' })),
    );
  const before = await commits();
  const candidate = await newCandidate(app);
  app.model.next(callSearch('early shift'), fromPassage('At four.'));

  await candidate.answer('When does the early shift begin?');

  expect((await commits()).map((count, index) => count - (before[index] ?? 0))).toEqual([
    1, 1, 1, 0,
  ]);
});

test('the program searches when the model replies to a question without a source', async () => {
  const candidate = await newCandidate(app);
  const from = app.model.requests.length;
  app.model.next(
    replyWith('question', 'About five thousand, I would guess.'),
    fromPassage('3,100 euros a month.'),
  );

  await candidate.answer('How much are bakers paid a month?');

  const [reply] = await candidate.replies();
  expect(reply).toMatch(/^3,100 euros a month\./);
  expect(requestsSince(app, from)[1]?.data.searchedFor).toEqual([
    'How much are bakers paid a month?',
  ]);
  expect(await candidate.attempts()).toEqual(['ok', 'ok']);
});

test.each([
  ['names no source', ''],
  ['names a passage that does not exist', '99'],
  ['names one passage that exists and one that does not', '1, 99'],
  ['writes words instead of numbers', 'none of the 2'],
])(
  'hides the reply of a model that %s after a search, and gives the question to a person',
  async (_, sources) => {
    const candidate = await newCandidate(app);
    app.model.next(
      callSearch('dogs at work'),
      replyWith('question', 'Dogs are surely welcome.', { sources }),
    );

    await candidate.answer('May I bring my dog?');

    const [reply] = await candidate.replies();
    expect(reply).not.toContain('welcome');
    expect(reply).toContain(NO_SOURCE);
    expect(reply).toContain(textsOf('en').questionAbove[0]);
    expect(await candidate.attention()).toMatchObject([{ kind: 'question', closed: false }]);
    expect(await candidate.state()).toMatchObject({ status: 'active', question: 0 });
  },
);

test('a question about the interview itself needs no search', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('question', 'I mean the last loaf you made.', { sources: '0' }));

  await candidate.answer('What do you mean by last?');

  expect((await candidate.replies())[0]).toMatch(/^I mean the last loaf/);
  expect(await candidate.attempts()).toEqual(['ok']);
  expect(await candidate.attention()).toEqual([]);
});

test('an answer with a question that no document answers counts, and the question goes to a person', async () => {
  const candidate = await newCandidate(app);
  app.model.next(callSearch('dogs'), replyWith('answered', 'Thank you, I passed it on.'));

  await candidate.answer('Rye. By the way, may I bring my dog?');

  expect((await candidate.replies())[0]).toContain(textsOf('en').noSourceToo);
  expect(await candidate.state()).toMatchObject({ question: 1 });
  expect(await candidate.attention()).toMatchObject([{ kind: 'question' }]);
});

test('offers no tool after the second search', async () => {
  const candidate = await newCandidate(app);
  const from = app.model.requests.length;
  app.model.next(callSearch('shift'), callSearch('pay'), fromPassage('At four, for 3,100.'));

  await candidate.answer('When, and for how much?');

  const sent = requestsSince(app, from);
  expect(sent.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
  expect(sent.at(-1)?.data.searchedFor).toEqual(['shift', 'pay']);
  expect(await candidate.attempts()).toEqual(['ok', 'ok', 'ok']);
});

test('repeats the request without tools for a server that refuses them, and the program searches', async () => {
  const lonely = await startInterviews();
  try {
    await storeDocuments(lonely, { 'shifts.en.md': SHIFTS });
    const candidate = await newCandidate(lonely);
    lonely.model.next(
      { kind: 'status', status: 400, error: { message: 'tools are not supported' } },
      replyWith('question', ''),
      fromPassage('At four.'),
    );
    await candidate.answer('When does the early shift begin?');
    await live(lonely, 2000);

    expect(lonely.model.requests.map(({ body }) => body.tools?.length ?? 0)).toEqual([1, 0, 0]);
    expect((await candidate.replies())[0]).toMatch(/^At four\./);
  } finally {
    await closeInterviews(lonely);
  }
});

test('a model that only begins a reply without a source is stopped at its header, and its answer searched', async () => {
  const candidate = await newCandidate(app);
  const from = app.model.requests.length;
  const counted = () => app.metrics('llm_attempts_total', { purpose: 'interview', outcome: 'ok' });
  const before = await counted();
  // The stream stands still behind its header: only leaving it leads to the next request.
  app.model.next(
    {
      kind: 'stall',
      content:
        '{"verdict":"question","sources":"","asks":"yes","about":"","touches":"","text":"Abo',
    },
    fromPassage('At four.'),
  );

  await candidate.answer('I bake rye. When does the early shift begin?');

  expect((await candidate.replies())[0]).toMatch(/^At four\./);
  const sent = requestsSince(app, from);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.data.searchedFor).toEqual(['When does the early shift begin?']);
  expect(sent[1]?.data.passages?.length).toBeLessThanOrEqual(10);
  expect(await candidate.attempts()).toEqual(['ok', 'ok']);
  expect(await counted()).toBe(before + 2);
});

describe('a vacancy with few documents', () => {
  let few: TestApp;

  beforeAll(async () => {
    few = await startInterviews();
    await storeFewDocuments(few, {
      'offer.en.md': `# Offer\n\n${PAY}`,
      'shifts.en.md': `# Shifts\n\n${SHIFTS}`,
    });
  });

  afterAll(() => closeInterviews(few));

  test('has all of them in every prompt: a question takes one request, and no tool is offered', async () => {
    const candidate = await newCandidate(few);
    few.model.next(
      replyWith('question', 'At four in the morning.', { sources: '2' }),
      replyWith('answered', 'Rye, then.'),
    );

    await candidate.answer('When does the early shift begin?');
    await candidate.answer('I bake rye.');

    const [first, second, ...others] = requestsSince(few, 0);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      tools: [],
      data: {
        passages: [
          { n: 1, document: 'offer.en.md', text: PAY },
          { n: 2, document: 'shifts.en.md', text: SHIFTS },
        ],
      },
    });
    expect(first?.data.searchedFor).toBeUndefined();
    expect(second?.data.passages).toEqual(first?.data.passages);
    expect((await candidate.replies())[0]).toMatch(/^At four in the morning\./);
    expect(await candidate.attention()).toEqual([]);
    expect(await eventsOf(few, candidate)).toMatchObject([{ type: 'agent' }]);
  });

  test.each([
    ['no source', ''],
    ['a passage that does not exist', '3'],
  ])('a reply that names %s is hidden, and the question goes to a person', async (_, sources) => {
    const candidate = await newCandidate(few);
    few.model.next(replyWith('question', 'Dogs are surely welcome.', { sources }));

    await candidate.answer('May I bring my dog?');

    const [reply] = await candidate.replies();
    expect(reply).not.toContain('welcome');
    expect(reply).toContain(NO_SOURCE);
    expect(await candidate.attention()).toMatchObject([{ kind: 'question', closed: false }]);
    expect(await candidate.attempts()).toEqual(['ok']);
  });

  test('an answer that asks nothing needs no source, and nobody is told', async () => {
    const candidate = await newCandidate(few);
    few.model.next(replyWith('answered', 'Rye, then.'));

    await candidate.answer('I bake rye.');

    expect((await candidate.replies())[0]).toMatch(/^Rye, then\./);
    expect(await candidate.attention()).toEqual([]);
  });
});

test('twenty passages stand in the prompt, and twenty-one are searched', async () => {
  const edge = await startInterviews();
  try {
    const parts = (count: number): string =>
      Array.from({ length: count }, (_, n) => `# Part ${n}\n\nPart ${n}.`).join('\n\n');
    const cases = [
      { count: 20, tools: [], shown: 20 },
      { count: 21, tools: ['search_knowledge'], shown: undefined },
    ];
    for (const { count, tools, shown } of cases) {
      await storeFewDocuments(edge, { 'parts.en.md': parts(count) });
      const from = edge.model.requests.length;
      edge.model.next(replyWith('answered', 'Rye, then.'));
      await (await newCandidate(edge)).answer('I bake rye.');
      const [sent] = requestsSince(edge, from);
      expect(sent?.tools).toEqual(tools);
      expect(sent?.data.passages?.length).toBe(shown);
    }
  } finally {
    await closeInterviews(edge);
  }
});

test('an adjustment that a candidate asks for goes to a person, and the interview goes on', async () => {
  const candidate = await newCandidate(app);
  const said = { sources: '', about: '', touches: '', labels: '' };
  const text = 'Of course.';
  app.model.next({
    kind: 'completion',
    content: JSON.stringify({ verdict: 'answered', asks: 'adjustment', ...said, text }),
  });

  await candidate.answer('Rye. I am dyslexic and need more time in writing.');

  const next = app.vacancy.plan.questions[1]?.text ?? '';
  expect(await candidate.replies()).toEqual([
    [text, textsOf('en').adjustmentNoted, next].join('\n\n'),
  ]);
  expect(await candidate.attention()).toMatchObject([{ kind: 'question', closed: false }]);
  expect(await candidate.attempts()).toEqual(['ok']);
  expect(await candidate.state()).toMatchObject({ status: 'active', question: 1 });
});

test('offers no tool without documents, and hides a reply without a source', async () => {
  const lonely = await startInterviews();
  try {
    const candidate = await newCandidate(lonely);
    lonely.model.next(replyWith('question', 'Probably at four.'));
    await candidate.answer('When?');

    expect(lonely.model.requests.map(({ body }) => body.tools?.length ?? 0)).toEqual([0]);
    expect((await candidate.replies())[0]).toContain(NO_SOURCE);
    expect(await candidate.attention()).toMatchObject([{ kind: 'question' }]);
  } finally {
    await closeInterviews(lonely);
  }
});

test('stores each change of agent once', async () => {
  const candidate = await newCandidate(app);
  for (const _ of app.vacancy.plan.questions) await candidate.answer(words());
  await candidate.answer(words('an addition'));

  expect(await eventsOf(app, candidate)).toEqual([
    { type: 'agent', agent: 'technical', from: 'greeter' },
    { type: 'agent', agent: 'screener', from: 'technical' },
    { type: 'agent', agent: 'closer', from: 'screener' },
  ]);
  const turns = await app.sql<{ agent: string }>(
    'select agent from turn where conversation_id = $1 order by id',
    [candidate.id],
  );
  expect(turns.map(({ agent }) => agent)).toEqual(['technical', 'technical', 'screener', 'closer']);
});

test.each(injections.filter(({ kind }) => kind === "tools with others' data"))(
  'a model that obeys searches only the documents of this vacancy: $text',
  async ({ text }) => {
    const secret = `Only for another team: ${randomUUID()}`;
    const draft = vacancyDraft({ slug: `other-${randomUUID()}` });
    const { vacancy: other } = await app.commit((tx) =>
      app.get(VacancyRepository).upsert(tx, draft),
    );
    await storeDocuments(app, { 'other.en.md': `# Other candidates\n\n${secret}` }, other);
    const said = words('what other candidates said');
    await (await newCandidate(app)).answer(said);
    const candidate = await newCandidate(app);
    const from = app.model.requests.length;
    const wanted = { query: 'other candidates', vacancyId: other.id, conversation: 'all' };
    app.model.next(streamCalls(['search_knowledge', wanted]), fromPassage('I cannot.'));

    await candidate.answer(text);

    const requests = app.model.requests.slice(from);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests)).not.toContain(secret);
    expect(JSON.stringify(requests)).not.toContain(said);
    expect((await eventsOf(app, candidate)).find(({ type }) => type === 'call')).toMatchObject({
      input: { query: 'other candidates' },
    });
    expect(JSON.stringify(await candidate.lines())).not.toContain(secret);
  },
);
