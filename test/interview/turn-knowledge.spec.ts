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
