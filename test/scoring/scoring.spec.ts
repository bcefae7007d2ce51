import { resolve } from 'node:path';
import { ConversationViews } from '../../src/interview';
import { Jobs } from '../../src/jobs';
import { ScoringRepository } from '../../src/scoring';
import type { ScoreRun, StoredSample } from '../../src/scoring/scoring.repository';
import { SAMPLES } from '../../src/scoring/scorecard';
import { PersonalDataService } from '../../src/privacy';
import { type VacancyDraft, readVacancyFile, rubricOf } from '../../src/vacancies';
import { type Rater, ratingReply } from '../../tools/fake-model/raters';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const EXAMPLES = ['backend-engineer.en.yaml', 'support-lead.ru.yaml'];

let app: TestApp;

afterEach(() => closeInterviews(app));

async function start(
  draft: VacancyDraft,
  rater: Rater,
  env: Record<string, string> = { SCORING: 'true' },
) {
  app = await startInterviews({ env, vacancy: draft });
  app.model.always(ratingReply(rater, ANSWERED));
}

/** Answers every question of the plan. */
async function answerAll(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`the answer number ${String(index)} and its story`));
  }
  return candidate;
}

/** Finishes an interview and lets it be scored. */
async function scored(): Promise<Interviewee> {
  const candidate = await answerAll();
  await live(app, 10_000);
  return candidate;
}

/** A finished interview that is to be scored; the model is away once it has rated so many samples. */
async function outageAfter(samples: number): Promise<Interviewee> {
  await start(vacancyDraft(), 'good');
  const candidate = await answerAll();
  const ratings = Array.from({ length: samples }, () => ratingReply('good', ANSWERED));
  app.model.next(...ratings, { kind: 'status', status: 503 });
  return candidate;
}

async function runOf({ id }: Interviewee): Promise<ScoreRun> {
  const scores = app.get(ScoringRepository);
  const runs = await app.commit((tx) => scores.runsOf(tx, [id]));
  const [run] = runs;
  if (run === undefined || runs.length > 1) throw new Error(`${String(runs.length)} runs`);
  return run;
}

function samplesOf(run: ScoreRun): Promise<StoredSample[]> {
  return app.commit((tx) => app.get(ScoringRepository).samples(tx, run.id));
}

async function stateOfJob(id: string): Promise<string[]> {
  const rows = await app.sql<{ state: string }>(
    `select state from job where queue = 'score' and key = $1`,
    [id],
  );
  return rows.map(({ state }) => state);
}

/** As after an addition, although nothing was added. */
async function scoreAgain({ id: key }: Interviewee): Promise<void> {
  await app.commit((tx) => app.get(Jobs).enqueue(tx, { queue: 'score', key, dueInMs: 0 }));
  await live(app, 10_000);
}

function attentionOf({ id }: Interviewee) {
  return app.sql<{ kind: string; reason: string; closed: boolean }>(
    `select kind, reason, closed_at is not null as closed from attention
     where conversation_id = $1 order by id`,
    [id],
  );
}

test('the second model never rates: a scoring waits for the first one, so no score of it is shown', async () => {
  const second = await ModelServer.start(ratingReply('good', ANSWERED));
  try {
    await start(vacancyDraft(), 'good', {
      SCORING: 'true',
      OPENAI_FALLBACK_BASE_URL: second.baseUrl,
      OPENAI_FALLBACK_API_KEY: 'k',
      OPENAI_FALLBACK_MODEL: 'second-model',
    });
    const candidate = await answerAll();
    app.model.always({ kind: 'status', status: 503 });
    await live(app, 60_000, 1000);

    expect(second.requests).toEqual([]);
    expect(await stateOfJob(candidate.id)).toEqual(['retry']);

    app.model.always(ratingReply('good', ANSWERED));
    await live(app, 70_000, 1000);

    const models = await app.sql('select distinct model from score_sample');
    expect(models).toEqual([{ model: 'gpt-4.1-mini' }]);
    expect(second.requests).toEqual([]);
  } finally {
    await second.close();
  }
});

test.each(EXAMPLES)(
  'the example %s is scored end to end, and every quote stands in the stored text',
  async (file) => {
    const draft = await readVacancyFile(resolve(__dirname, '../../examples', file));
    await start({ ...draft, owner: { name: draft.owner.name } }, 'good');

    const run = await runOf(await scored());

    expect(run.state).toBe('done');
    const { questions, overall } = run.card ?? { questions: [], overall: null };
    expect(overall).toMatchObject({ kind: 'figure', value: 4 });
    const texts = await app.sql<{ id: string; text: string }>('select id, text from message');
    const textOf = new Map(texts.map(({ id, text }) => [id, text.normalize('NFC')]));
    const results = questions.flatMap(({ criteria }) => criteria.map(({ result }) => result));
    const quotes = results.flatMap((result) => (result.kind === 'supported' ? result.quotes : []));
    expect(quotes.length).toBe(results.length);
    for (const { messageId, start: from, end } of quotes) {
      expect(textOf.get(messageId)?.slice(from, end)).toMatch(/^I know the answer number/);
    }
    const rubrics = draft.plan.questions.map(rubricOf);
    const items = rubrics.flatMap(({ criteria, facts }) => [...criteria, ...facts]);
    expect((await samplesOf(run)).length).toBe(items.length * SAMPLES);
  },
  60_000,
);

test('a scoring request offers no tool and holds the candidate only inside JSON strings', async () => {
  await start(vacancyDraft(), 'good');
  await scored();

  const requests = app.model.requests.filter(({ body }) => body.response_format !== undefined);
  const ratings = requests.filter(({ body }) =>
    JSON.stringify(body.response_format).includes('criterion_rating'),
  );
  expect(ratings.length).toBe(2 * SAMPLES);
  for (const { body } of ratings) {
    expect(body.tools).toBeUndefined();
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body.messages[0]?.content).not.toContain('I know');
    expect(JSON.parse(body.messages[1]?.content ?? '')).toMatchObject({ messages: [{}] });
  }
});

test('each sample stores model, parameters, prompt, inputs by hash, and output', async () => {
  await start(vacancyDraft(), 'good');
  const run = await runOf(await scored());

  const [sample] = await samplesOf(run);
  expect(sample).toMatchObject({
    questionId: 'last',
    kind: 'criterion',
    item: 'answer',
    n: 1,
    promptName: 'criterion',
    promptVersion: 2,
    outcome: 'ok',
    parameters: { maxOutputTokens: 700 },
    input: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
  });
  expect(sample?.model).not.toBe('');
  expect([sample?.rubricHash, sample?.promptHash, sample?.inputHash].join(' ')).toMatch(
    /^([0-9a-f]{64} ?){3}$/,
  );
});

test('what a sloppy model writes is stored as dropped and never becomes a score', async () => {
  await start(vacancyDraft(), 'sloppy');
  const run = await runOf(await scored());

  const readings = (await samplesOf(run)).map(({ reading }) => reading);
  expect(new Set(readings.map(({ kind }) => kind))).toEqual(new Set(['dropped']));
  const malformed = readings.filter((one) => one.kind === 'dropped' && one.why === 'malformed');
  expect(malformed).toHaveLength(3);
  const quotes = readings.flatMap(({ droppedQuotes }) => Object.values(droppedQuotes));
  expect(quotes.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4);
  const results = run.card?.questions.flatMap(({ criteria }) => criteria) ?? [];
  expect(results.map(({ result }) => result)).toEqual([
    { kind: 'unscorable', reason: 'trouble' },
    { kind: 'unscorable', reason: 'trouble' },
  ]);
  expect(run.card?.overall).toEqual({ kind: 'absent', missing: ['last'] });
  expect(run.card?.questions[2]?.facts).toMatchObject([{ value: 'unclear' }]);
});

test("a model's refusal is a dropped sample, and the other two decide", async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await answerAll();
  app.model.next({ kind: 'refusal', refusal: 'I cannot rate people.' });
  await live(app, 10_000);

  const run = await runOf(candidate);
  const [first] = await samplesOf(run);
  expect(first).toMatchObject({ outcome: 'refused', output: null, reading: { why: 'failed' } });
  expect(run.card?.questions[0]?.criteria[0]?.result).toMatchObject({
    kind: 'supported',
    marks: [4, 4],
  });
});

test('answers that the model did not rate go to a person, until a later job has rated them', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await answerAll();
  app.model.always({ kind: 'refusal', refusal: 'I cannot rate people.' });
  await live(app, 10_000);

  const unrated = await attentionOf(candidate);
  expect(unrated).toMatchObject([
    { kind: 'disputed', closed: false },
    { kind: 'disputed', closed: false },
  ]);
  expect(unrated[0]?.reason).toBe(
    'the model gave no usable rating of "answer" for the question "last"; a person has to read the answer, and to check the model and its server if this happens often',
  );

  app.model.always(ratingReply('good', ANSWERED));
  await scoreAgain(candidate);
  const scores = app.get(ScoringRepository);
  const runs = await app.commit((tx) => scores.runsOf(tx, [candidate.id]));
  expect(runs.map(({ card }) => card?.overall.kind)).toEqual(['absent', 'figure']);
  expect(await attentionOf(candidate)).toMatchObject([{ closed: true }, { closed: true }]);

  await scoreAgain(candidate);
  expect(await app.commit((tx) => scores.runsOf(tx, [candidate.id]))).toHaveLength(2);
});

test('a job that failed for good needs a person only until a later one succeeds', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await answerAll();
  app.model.always({ kind: 'status', status: 400, error: { code: 'context_length_exceeded' } });
  await live(app, 120_000, 5000);
  expect(await stateOfJob(candidate.id)).toEqual(['dead']);
  expect(await attentionOf(candidate)).toMatchObject([{ kind: 'dead', closed: false }]);

  app.model.always(ratingReply('good', ANSWERED));
  await scoreAgain(candidate);

  expect(await attentionOf(candidate)).toMatchObject([{ kind: 'dead', closed: true }]);
});

test('samples that differ by more than one mark go to a person, until a later run agrees', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await answerAll();
  const rated = (mark: number) => ({
    kind: 'completion' as const,
    content: ({ messages }: { messages: readonly { content: string }[] }) => {
      const data = JSON.parse(messages.at(-1)?.content ?? '') as {
        messages: { id: string; text: string }[];
      };
      const quotes = data.messages.map(({ id, text }) => ({ messageId: id, text }));
      return JSON.stringify({ result: 'supported', mark, quotes, lookedFor: '', reason: 'none' });
    },
  });
  app.model.next(rated(2), rated(5), rated(3));
  await live(app, 10_000);

  const run = await runOf(candidate);
  expect(run.card?.questions[0]?.criteria[0]).toMatchObject({
    isDisputed: true,
    result: { kind: 'supported', mark: 3, marks: [2, 3, 5] },
  });
  expect(await attentionOf(candidate)).toMatchObject([{ kind: 'disputed', closed: false }]);

  await candidate.answer(words('one more thing about the first answer'));
  await live(app, 10_000);
  expect(await attentionOf(candidate)).toMatchObject([{ kind: 'disputed', closed: true }]);
});

test('a correction takes the place of what it corrects', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await newCandidate(app);
  await candidate.answer('I baked a plain white loaf yesterday');
  await candidate.edit('I baked a dark rye loaf yesterday');
  await live(app, 10_000);
  await candidate.answer('Because rye keeps for a week');
  await candidate.answer('Yes, I can start then');
  await live(app, 10_000);

  const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, candidate.id));
  expect(answers.get('last')?.map(({ text }) => text)).toEqual([
    'I baked a dark rye loaf yesterday',
  ]);
  const run = await runOf(candidate);
  expect(run.card?.questions[0]?.criteria[0]?.result.kind).toBe('supported');
});

test('an outage between samples repeats no request that got a response', async () => {
  const candidate = await outageAfter(4);
  await live(app, 120_000, 5000);

  const run = await runOf(candidate);
  expect(run.state).toBe('done');
  expect(await samplesOf(run)).toHaveLength(3 * SAMPLES);
  const ratings = app.model.requests.filter(({ body }) =>
    /criterion_rating|fact_reading/.test(JSON.stringify(body.response_format)),
  );
  expect(ratings).toHaveLength(3 * SAMPLES + 1);
});

test('an answer that changes between two samples is rated from its start', async () => {
  const candidate = await outageAfter(4);
  await live(app, 1, 1);
  await app.sql(
    `update message set text = 'I know another answer' where conversation_id = $1
     and text like '%number 0%'`,
    [candidate.id],
  );
  await live(app, 120_000, 5000);

  const runs = await app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [candidate.id]));
  expect(runs.map(({ state }) => state)).toEqual(['failed', 'done']);
  const [ended, whole] = await Promise.all(runs.map(samplesOf));
  expect(ended).toHaveLength(4);
  expect(whole).toHaveLength(3 * SAMPLES);
  // Each of the three requests is the same in all of its samples.
  expect(new Set(whole?.map(({ inputHash }) => inputHash)).size).toBe(3);
});

test('nothing is scored unless SCORING is on', async () => {
  await start(vacancyDraft(), 'good', { SCORING: 'false' });
  const candidate = await scored();

  expect(await stateOfJob(candidate.id)).toEqual([]);
});

test('the disclosure says that answers are rated, and who agreed to one without it is not scored', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await newCandidate(app);
  const views = app.get(ConversationViews);
  const { disclosure } = await app.commit((tx) => views.view(tx, candidate.id));
  expect(disclosure).toEqual({
    version: '2026-11-rating',
    text: expect.stringContaining('an AI rates your answers') as string,
  });
  // As if they had agreed before SCORING was set.
  await app.sql(`update conversation set consent_version = '2026-11' where id = $1`, [
    candidate.id,
  ]);

  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`the answer number ${String(index)} and its story`));
  }
  await live(app, 10_000);

  expect((await candidate.state()).status).toBe('completed');
  expect(await app.sql('select from score_run')).toEqual([]);
});

test('a candidate who objected to automated processing is never scored', async () => {
  await start(vacancyDraft(), 'good');
  const candidate = await newCandidate(app);
  await app.sql('update conversation set automated_processing_objected_at = now() where id = $1', [
    candidate.id,
  ]);
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`answer ${String(index)}`));
  }
  await live(app, 10_000);

  expect(await stateOfJob(candidate.id)).toEqual(['done']);
  expect(await app.sql('select 1 from score_run')).toEqual([]);
});

test('the export holds the scores, and an erasure leaves none and no request of them', async () => {
  await start(vacancyDraft(), 'good');
  const { id } = await scored();
  const { candidate_id: candidateId } = await app.one<{ candidate_id: string }>(
    'select candidate_id from conversation where id = $1',
    [id],
  );
  const personal = app.get(PersonalDataService);

  const { pieces } = await personal.exportOf((_label, work) => app.commit(work), candidateId);
  let text = '';
  for await (const piece of pieces) text += piece;
  const { holders } = JSON.parse(text) as {
    holders: { scores: { conversationId: string; samples: object[] }[] };
  };
  expect(holders.scores).toMatchObject([{ conversationId: id, state: 'done' }]);
  expect(holders.scores[0]?.samples).toHaveLength(3 * SAMPLES);
  // With its reason, and without what the model wrote word for word.
  expect(holders.scores[0]?.samples[0]).toMatchObject({ reading: expect.any(Object) as unknown });
  expect(holders.scores[0]?.samples.filter((sample) => 'output' in sample)).toEqual([]);

  await app.commit((tx) => personal.erase(tx, candidateId));
  expect(await app.rowsWith([id])).toEqual([]);
  expect(await app.sql('select 1 from score_sample')).toEqual([]);
  expect(await app.sql(`select 1 from llm_request where purpose = 'score'`)).toEqual([]);
});

test('the interview itself still asks the model once for each answer', async () => {
  await start(vacancyDraft(), 'good');
  app.model.next(replyWith('answered', 'Thank you.'));
  const candidate = await scored();

  const rows = await app.sql<{ purpose: string; count: number }>(
    'select purpose, count(*)::int as count from llm_request group by purpose order by purpose',
  );
  expect(rows).toEqual([
    { purpose: 'interview', count: 3 },
    { purpose: 'score', count: 3 * SAMPLES },
  ]);
  expect(await stateOfJob(candidate.id)).toEqual(['done']);
});
