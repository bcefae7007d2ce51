import { SAMPLES } from '../../src/scoring/scorecard';
import { DomainEvents, type InterviewReceipt } from '../../src/common/events';
import { ConversationRepository } from '../../src/interview';
import { HiringDecisionRepository, ScoringRepository } from '../../src/scoring';
import type { InterviewPlan } from '../../src/vacancies';
import { ratingReply } from '../../tools/fake-model/raters';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

const REPLY = { sources: '', asks: 'no', about: '', touches: '', labels: '', text: 'Thank you.' };
const draft = vacancyDraft();
const SAID = ['rye that keeps', 'starters I feed', 'that I can start at four'].map(words);

let app: TestApp;

afterEach(() => closeInterviews(app));

const PLAN: InterviewPlan = { ...draft.plan, receipt: true };

async function start(plan = PLAN, scoring = 'true'): Promise<void> {
  app = await startInterviews({ env: { SCORING: scoring }, vacancy: { ...draft, plan } });
  app.model.always(ratingReply('good', JSON.stringify({ verdict: 'answered', ...REPLY })));
}

/** A finished interview whose scoring waits. */
async function finished(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const text of SAID) await candidate.answer(text);
  return candidate;
}

async function scored(): Promise<Interviewee> {
  const candidate = await finished();
  await live(app, 10_000);
  return candidate;
}

async function receiptOf({ id: conversationId }: Interviewee): Promise<InterviewReceipt | null> {
  const [receipt = null] = await app.commit((tx) =>
    app.get(DomainEvents).collect(tx, 'interview.receipt', { conversationId }),
  );
  return receipt;
}

async function runsOf({ id }: Interviewee): Promise<number> {
  return (await app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [id]))).length;
}

async function decide({ id }: Interviewee): Promise<void> {
  await app.commit(async (tx) => {
    const { candidateId = '' } = (await app.get(ConversationRepository).find(tx, id)) ?? {};
    const decision = { candidateId, by: 'Nora', reason: 'Invited to a talk', isAdverse: false };
    expect(await app.get(HiringDecisionRepository).add(tx, decision)).not.toBeNull();
  });
}

/** The requests for a score that contain this text. */
function readWith(text: string): string[] {
  return app.model.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((request) => /criterion_rating|fact_reading/.test(request) && request.includes(text));
}

test('the candidate sees their quoted words by question, and no mark', async () => {
  await start();
  const receipt = await receiptOf(await scored());

  expect(receipt).toEqual({
    state: 'ready',
    questions: draft.plan.questions.map(({ text }, n) => ({ question: text, quotes: [SAID[n]] })),
  });
});

test('until the answers are read, the receipt says so', async () => {
  await start();

  expect(await receiptOf(await finished())).toEqual({ state: 'reading', questions: [] });
});

test('an addition after the end is read anew, with the question that it belongs to', async () => {
  await start();
  const candidate = await scored();
  const added = words('that the oven was my own');
  await candidate.answer(added);

  expect(await receiptOf(candidate)).toMatchObject({ state: 'reading' });
  await live(app, 10_000);

  expect(await runsOf(candidate)).toBe(2);
  expect(await receiptOf(candidate)).toMatchObject({ state: 'ready' });
  const read = readWith(added);
  const [question] = draft.plan.questions;
  expect(read).toHaveLength(SAMPLES);
  expect(read.filter((request) => request.includes(question?.text ?? ''))).toHaveLength(SAMPLES);
});

test('an addition after the end is no answer to a question that was refused', async () => {
  await start();
  const candidate = await finished();
  await app.sql(
    `update message_label set label = 'aside', question_id = null
     from message m where m.id = message_id and m.text = $1`,
    [SAID[1]],
  );
  await live(app, 10_000);
  const added = words('that the oven was my own');
  await candidate.answer(added);
  await live(app, 10_000);

  const refused = draft.plan.questions[1]?.text ?? '';
  expect(await runsOf(candidate)).toBe(2);
  expect(readWith(added)).toHaveLength(SAMPLES);
  expect(readWith(added).filter((request) => request.includes(refused))).toEqual([]);
});

test('a question after the end is no answer, so nothing is read again', async () => {
  await start();
  const candidate = await scored();
  await candidate.answer('When will I hear back from the team?');
  await live(app, 10_000);

  expect(await runsOf(candidate)).toBe(1);
  expect(await receiptOf(candidate)).toMatchObject({ state: 'ready' });
});

test('after a decision nothing is read again, and the receipt says so', async () => {
  await start();
  const candidate = await scored();
  await decide(candidate);
  await candidate.answer(words('one more thing'));
  await live(app, 10_000);

  expect(await runsOf(candidate)).toBe(1);
  expect(await receiptOf(candidate)).toMatchObject({ state: 'decided' });
});

test('a decision before the first scoring stops it, and the receipt says so', async () => {
  await start();
  const candidate = await finished();
  await decide(candidate);
  const asked = app.model.requests.length;
  await live(app, 10_000);

  expect(await runsOf(candidate)).toBe(0);
  expect(app.model.requests).toHaveLength(asked);
  expect(await receiptOf(candidate)).toMatchObject({ state: 'decided', questions: [] });
});

test('a scoring that has begun goes on after a decision', async () => {
  await start();
  const candidate = await finished();
  app.model.next(ratingReply('good', ''), { kind: 'status', status: 503 });
  await live(app, 1, 1);
  await decide(candidate);
  await live(app, 120_000, 5000);

  const scores = app.get(ScoringRepository);
  const runs = await app.commit((tx) => scores.runsOf(tx, [candidate.id]));
  expect(runs).toMatchObject([{ state: 'done' }]);
});

test('a decision about an earlier interview does not stop the scoring of a later one', async () => {
  await start();
  const candidate = await newCandidate(app);
  await decide(candidate);
  await live(app, 1000);
  for (const text of SAID) await candidate.answer(text);
  await live(app, 10_000);

  expect(await runsOf(candidate)).toBe(1);
  expect(await receiptOf(candidate)).toMatchObject({ state: 'ready' });
});

test.each([
  ['the vacancy has no receipts', draft.plan, 'true'],
  ['nothing is scored', PLAN, 'false'],
])('there is no receipt when %s', async (_why, plan, scoring) => {
  await start(plan, scoring);

  expect(await receiptOf(await scored())).toBeNull();
});

test('there is no receipt after an objection', async () => {
  await start();
  const candidate = await scored();
  await app.sql('update conversation set automated_processing_objected_at = now() where id = $1', [
    candidate.id,
  ]);
  expect(await receiptOf(candidate)).toBeNull();
});
