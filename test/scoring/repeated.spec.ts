import { ScoringRepository } from '../../src/scoring';
import { ratingReply } from '../../tools/fake-model/raters';
import { replyWith } from '../../tools/fake-model/model-server';
import { newCandidate } from '../interview/interviewee';
import { closeInterviews, live, startInterviews } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const PUSH_BACK = 'Which flour did you weigh, and how warm was the oven?';

let app: TestApp;

beforeEach(async () => {
  app = await startInterviews({ env: { SCORING: 'true' }, vacancy: vacancyDraft() });
  app.model.always(ratingReply('good', ANSWERED));
});
afterEach(() => closeInterviews(app));

test('a model that quotes what the interviewer said, or the question, gets no score stored', async () => {
  const candidate = await newCandidate(app);
  app.model.next(replyWith('vague', PUSH_BACK));
  await candidate.answer('what did you bаke last');
  await candidate.answer('which flour did you weigh - and how warm was the oven');
  await candidate.answer('Why bread: because a rye loaf keeps for a week.');
  await candidate.answer('Yes, I can start at four');
  await live(app, 10_000);

  const scores = app.get(ScoringRepository);
  const [run] = await app.commit((tx) => scores.runsOf(tx, [candidate.id]));
  const samples = await app.commit((tx) => scores.samples(tx, run?.id ?? ''));
  const first = samples.filter(({ questionId }) => questionId === 'last');
  expect(first.map(({ reading }) => reading)).toEqual(
    first.map(() => ({ kind: 'dropped', why: 'no_quote', droppedQuotes: { not_own: 2 } })),
  );
  expect(first).toHaveLength(3);
  const results = run?.card?.questions.map(({ criteria, facts }) => [
    ...criteria.map(({ result }) => result.kind),
    ...facts.map(({ value }) => value),
  ]);
  expect(results).toEqual([['unscorable'], ['supported'], ['yes']]);
});
