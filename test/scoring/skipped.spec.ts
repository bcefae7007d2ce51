import { ScoringRepository } from '../../src/scoring';
import { ratingReply } from '../../tools/fake-model/raters';
import { replyWith } from '../../tools/fake-model/model-server';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

/** What people who skip a question get: no mark and no request, whatever a model made of their words. */

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });

let app: TestApp;

beforeEach(async () => {
  app = await startInterviews({ env: { SCORING: 'true' }, vacancy: vacancyDraft() });
  app.model.always(ratingReply('good', ANSWERED));
});
afterEach(() => closeInterviews(app));

async function answersOf({ id }: Interviewee): Promise<Record<string, string[]>> {
  const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, id));
  return Object.fromEntries([...answers].map(([of, lines]) => [of, lines.map(({ text }) => text)]));
}

/** By question, how each of its criteria is scored. */
async function resultsOf({ id }: Interviewee) {
  const [run] = await app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [id]));
  return (run?.card?.questions ?? []).map(({ criteria }) => criteria.map(({ result }) => result));
}

function ratingRequests(): string[] {
  return app.model.requests
    .filter(({ body }) =>
      /criterion_rating|fact_reading/.test(JSON.stringify(body.response_format)),
    )
    .map(({ body }) => body.messages.at(-1)?.content ?? '');
}

const NO_ANSWER = { kind: 'unscorable', reason: 'no_answer' };

test.each(['skip', 'skip this question please', 'Next question, please.', 'pass', '/skip'])(
  'a question left out by %j is no answer, although the model took it for one',
  async (skip) => {
    const candidate = await newCandidate(app);
    await candidate.answer(skip);
    await candidate.answer(words('a story about rye'));
    await candidate.answer(words('yes, from Monday on'));
    await live(app, 10_000);

    const [first, second] = await resultsOf(candidate);
    expect(first).toEqual([NO_ANSWER]);
    expect(second?.[0]?.kind).toBe('supported');
    expect(ratingRequests().filter((sent) => sent.includes(skip))).toEqual([]);
    expect((await candidate.turns())[0]?.verdict).toBe('refusal');
  },
);

test('the same in Russian, for each question', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer('пропустить');
  await candidate.answer('Давайте пропустим этот вопрос');
  await candidate.answer('Следующий вопрос, пожалуйста');
  await live(app, 10_000);

  expect(await resultsOf(candidate)).toEqual([[NO_ANSWER], [NO_ANSWER], []]);
  expect(ratingRequests()).toEqual([]);
});

test('words that only contain "skip" are an answer', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer('We decided to skip the migration');
  await candidate.answer(words());
  await candidate.answer(words());
  await live(app, 10_000);

  expect((await resultsOf(candidate))[0]?.[0]?.kind).toBe('supported');
});

test('what was too little before a skip is left out with it; what is added later counts', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('vague', 'Could you say more?'));
  await candidate.answer('Something with bread, I think');
  await candidate.answer('skip');

  expect(await answersOf(candidate)).toEqual({});

  app.model.next(replyWith('addition', 'Noted.'));
  await candidate.answer('I forgot to mention: I baked a rye loaf');
  expect(await answersOf(candidate)).toEqual({
    last: ['I forgot to mention: I baked a rye loaf'],
  });
});

test('a wish for the next question behind an answer leaves the answer', async () => {
  const candidate = await newCandidate(app);
  const said = words('I baked a rye loaf by hand');
  await candidate.answer(said, 'next question please');

  expect(await answersOf(candidate)).toEqual({ last: [said] });
});

test('an answer in place of a skip, by an edit, is an answer', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer('skip');
  await candidate.edit('I baked a rye loaf after all');
  await live(app, 10_000);

  expect(await answersOf(candidate)).toEqual({ last: ['I baked a rye loaf after all'] });
});
