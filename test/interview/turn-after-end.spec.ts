import { textsOf } from '../../src/interview/texts/texts';
import { SHIFTS, callSearch, fromPassage, storeDocuments } from './knowledge-turns';
import { closeInterviews, startInterviews, words } from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import type { TestApp } from '../support/app';
import { replyWith } from '../../tools/fake-model/model-server';

const EN = textsOf('en');

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  await storeDocuments(app, { 'shifts.en.md': `# Shifts\n\n${SHIFTS}` });
});

afterAll(() => closeInterviews(app));

/** A candidate who has answered every question. */
async function finished(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const _ of app.vacancy.plan.questions) {
    app.model.next(replyWith('answered', 'Thanks for telling me.'));
    await candidate.answer(words());
  }
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  return candidate;
}

test('the last reply closes, and then invites the candidate to ask', async () => {
  const candidate = await finished();

  const last = (await candidate.replies()).at(-1) ?? '';
  expect(last.endsWith(`${app.vacancy.plan.closing}\n\n${EN.yourQuestions}`)).toBe(true);
});

test('a question after the end is answered from the documents', async () => {
  const candidate = await finished();
  app.model.next(callSearch('early shift'), fromPassage('At four in the morning.'));

  await candidate.answer('When does the early shift begin?');

  expect((await candidate.replies()).at(-1)).toBe('At four in the morning.');
  expect(await candidate.state()).toMatchObject({ status: 'completed' });
  expect(await candidate.attention()).toEqual([]);
  expect(await candidate.waiting()).toEqual([]);
});

test('a question that the documents do not cover goes to a person, as before', async () => {
  const candidate = await finished();
  app.model.next(callSearch('dogs'), replyWith('question', '', { sources: '' }));

  await candidate.answer('May I bring my dog?');

  const last = (await candidate.replies()).at(-1) ?? '';
  expect(last).toBe(EN.askedAfterEnd);
  expect(await candidate.attention()).toMatchObject([{ kind: 'question' }]);
});

test('a goodbye gets a goodbye, and no model is asked', async () => {
  const candidate = await finished();
  const asked = app.model.requests.length;

  await candidate.answer('Thank you for your time, goodbye!');

  expect(EN.goodbyes).toContain((await candidate.replies()).at(-1));
  expect(app.model.requests).toHaveLength(asked);
});

test('a question without a question mark after the end is answered from the documents', async () => {
  const candidate = await finished();
  app.model.next(callSearch('early shift'), fromPassage('At four in the morning.'));

  await candidate.answer('Tell me about the early shift');

  expect((await candidate.replies()).at(-1)).toBe('At four in the morning.');
});

test('an addition after the end that only begins like a question is thanked for', async () => {
  const candidate = await finished();
  app.model.next(replyWith('answered', 'Noted.'));

  await candidate.answer('I wanted to know why the dough failed, so I weighed it every hour.');

  expect(EN.thanksForAddition).toContain((await candidate.replies()).at(-1));
  expect(await candidate.attention()).toEqual([]);
});
