import { ScoringRepository } from '../../src/scoring';
import { SAMPLES } from '../../src/scoring/scorecard';
import type { ScoreRun, StoredSample } from '../../src/scoring/scoring.repository';
import { type ModelReply, replyWith } from '../../tools/fake-model/model-server';
import { ratingChoices, ratingReply } from '../../tools/fake-model/raters';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { closeInterviews, live, settled, startInterviews, words } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

/** What a scoring costs: requests of the questions that changed, side by side, within limits. */

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const HOUR_MS = 3_600_000;
/** The least addition that cost 30 requests before: 8 characters. */
const EIGHT = 'rye 80 %';

let app: TestApp;

afterEach(() => closeInterviews(app));

async function start(env: Record<string, string> = {}, reply?: ModelReply): Promise<void> {
  app = await startInterviews({ env: { SCORING: 'true', ...env }, vacancy: vacancyDraft() });
  app.model.always(reply ?? ratingReply('good', ANSWERED));
}

async function answerAll(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`the answer number ${String(index)} and its story`));
  }
  return candidate;
}

async function scored(): Promise<Interviewee> {
  const candidate = await answerAll();
  await live(app, 10_000);
  return candidate;
}

function runsOf({ id }: Interviewee): Promise<ScoreRun[]> {
  return app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [id]));
}

async function samplesOf(run: ScoreRun | undefined): Promise<StoredSample[]> {
  return app.commit((tx) => app.get(ScoringRepository).samples(tx, run?.id ?? ''));
}

/** What was asked of the model about answers since so many requests: the name of the schema, and the data. */
function askedSince(before: number): { name: string; data: string }[] {
  return app.model.requests.slice(before).flatMap(({ body }) => {
    const { name = '' } = (body.response_format?.['json_schema'] ?? {}) as { name?: string };
    const isOfAnswers = ['criterion_rating', 'fact_reading', 'late_messages'].includes(name);
    return isOfAnswers ? [{ name, data: body.messages.at(-1)?.content ?? '' }] : [];
  });
}

function attention(subject: string) {
  return app.sql<{ closed: boolean; reason: string }>(
    `select closed_at is not null as closed, reason from attention
     where kind = 'stalled' and subject = $1 order by id`,
    [subject],
  );
}

describe('an addition after the end', () => {
  test('of 8 characters asks for the samples of one question only', async () => {
    await start();
    const candidate = await scored();
    const before = app.model.requests.length;
    await candidate.answer(EIGHT);
    await live(app, 10_000);

    const asked = askedSince(before);
    expect(asked.map(({ name }) => name)).toEqual([
      'late_messages',
      ...Array<string>(SAMPLES).fill('criterion_rating'),
    ]);
    const ratings = asked.slice(1).map(({ data }) => JSON.parse(data) as object);
    for (const rating of ratings) {
      expect(rating).toMatchObject({
        question: 'What did you bake last?',
        messages: [{ id: 'm1' }, { id: 'm2', said: 'after the end', text: EIGHT }],
      });
    }
    const [first, second] = await runsOf(candidate);
    expect(second?.card).toMatchObject({ overall: { kind: 'figure', value: 4 } });
    const [before1, after1] = [await samplesOf(first), await samplesOf(second)];
    expect(after1).toHaveLength(SAMPLES * 3);
    const ofOthers = (samples: StoredSample[]) =>
      samples.filter((one) => one.questionId !== 'last');
    expect(ofOthers(after1)).toEqual(ofOthers(before1));
  });

  test('that is nothing but thanks asks a model for nothing', async () => {
    await start();
    const candidate = await scored();
    const before = app.model.requests.length;
    await candidate.answer('Thank you so much, have a nice day!');
    await live(app, 10_000);

    expect(askedSince(before)).toEqual([]);
    expect(await runsOf(candidate)).toHaveLength(1);
  });

  test('that is thanks and was read by a run of an earlier version stays as that run has read it', async () => {
    await start();
    const candidate = await scored();
    await candidate.answer('Thank you so much!');
    // As that version has read it.
    await app.sql(
      `update message_label set label = 'addition', question_id = 'early'
      where message_id = (select id from message where text = 'Thank you so much!')`,
    );
    const answersNow = async () => {
      const answers = await app.commit((tx) =>
        app.get(ScoringRepository).answers(tx, candidate.id),
      );
      return [...answers.values()].map((messages) => messages.length);
    };
    expect(await answersNow()).toEqual([1, 1, 1]);

    // As if that run had begun after the thanks.
    await app.sql(`update score_run set started_at = started_at + interval '1 day'`);
    expect(await answersNow()).toEqual([2, 2, 2]);
  });

  test('that belongs to no question changes no score', async () => {
    await start();
    const candidate = await scored();
    const none = { messages: [{ id: 'm1', questions: [] }] };
    const before = app.model.requests.length;
    await candidate.answer('The weather is bad over here today');
    app.model.next({ kind: 'completion', content: JSON.stringify(none) });
    await live(app, 10_000);

    expect(askedSince(before).map(({ name }) => name)).toEqual(['late_messages']);
    expect(await runsOf(candidate)).toHaveLength(1);
  });

  test('is read with every answer when the model does not say with which', async () => {
    await start();
    const candidate = await scored();
    const before = app.model.requests.length;
    await candidate.answer(EIGHT);
    app.model.next({ kind: 'refusal', refusal: 'No.' });
    await live(app, 10_000);

    expect(askedSince(before)).toHaveLength(1 + SAMPLES * 3);
  });

  test('waits until it is quiet, so that several are one scoring, and no longer than six quiet times', async () => {
    await start({ SCORING_ADDITIONS_QUIET_TIME: '60' });
    const candidate = await scored();
    const runs = async () => (await runsOf(candidate)).length;
    for (let minute = 0; minute < 5; minute += 1) {
      await candidate.answer(words('one more thing'));
      await live(app, 40_000);
    }
    expect(await runs()).toBe(1);

    await live(app, 60_000);
    expect(await runs()).toBe(2);

    for (let minute = 0; minute < 12; minute += 1) {
      await candidate.answer(words('and another thing'));
      await live(app, 40_000);
    }
    expect(await runs()).toBe(3);
  });
});

describe('the limits', () => {
  test('of tokens a day: one attention item, and what waited is rated when it may', async () => {
    await start({ SCORING_TOKENS_PER_DAY: '1' });
    const candidate = await scored();
    expect(await runsOf(candidate)).toHaveLength(1);
    await candidate.answer(EIGHT);
    const other = await answerAll();
    await live(app, 3 * HOUR_MS, HOUR_MS);

    expect([await runsOf(candidate), await runsOf(other)].map(({ length }) => length)).toEqual([
      1, 0,
    ]);
    const waiting = await attention('score-spending:day');
    expect(waiting).toEqual([
      { closed: false, reason: expect.stringContaining('SCORING_TOKENS_PER_DAY') as string },
    ]);

    // A day lets one of three through: the reading of the addition, its scoring, the other's scoring.
    await live(app, 100 * HOUR_MS, HOUR_MS);
    expect([await runsOf(candidate), await runsOf(other)].map(({ length }) => length)).toEqual([
      2, 1,
    ]);
    const text = JSON.stringify(app.model.requests.map(({ body }) => body.messages));
    expect(text).toContain(EIGHT);
  });

  test('of runs of one interview: a person is told, and the additions stay for a later run', async () => {
    await start({ SCORING_MAX_RUNS: '1' });
    const candidate = await scored();
    await candidate.answer(EIGHT);
    await live(app, 10_000);

    expect(await runsOf(candidate)).toHaveLength(1);
    expect(await attention(`score-runs:${candidate.id}`)).toMatchObject([{ closed: false }]);
    const jobs = await app.sql<{ state: string }>(
      `select state from job where queue = 'score' and key = $1 order by id`,
      [candidate.id],
    );
    expect(jobs.map(({ state }) => state)).toEqual(['done', 'done', 'open']);
  });
});

test('where the server knows n, a criterion is one request with three samples', async () => {
  await start({}, ratingChoices('good', ANSWERED));
  const candidate = await answerAll();
  const before = app.model.requests.length;
  await live(app, 10_000);

  expect(askedSince(before)).toHaveLength(3);
  expect(app.model.requests.slice(before).map(({ body }) => body.n)).toEqual([3, 3, 3]);
  const [run] = await runsOf(candidate);
  const samples = await samplesOf(run);
  expect(samples.map(({ item, n }) => `${item} ${String(n)}`)).toEqual(
    ['answer', 'answer', 'condition'].flatMap((item) =>
      [1, 2, 3].map((n) => `${item} ${String(n)}`),
    ),
  );
  expect(run?.card?.questions[0]?.criteria[0]?.result).toMatchObject({ marks: [4, 4, 4] });
});

test('requests run side by side once the first one has told what the server knows', async () => {
  await start({ SCORING_REQUESTS_AT_ONCE: '4' });
  const candidate = await answerAll();
  const before = app.model.requests.length;
  const held = { kind: 'hold', content: '{"quotes":[],', rest: '"result":"unclear"}' } as const;
  app.model.next(ratingReply('good', ANSWERED), held, held, held, held);

  const done = live(app, 10_000);
  await app.model.request(before + 5);
  app.model.release();
  await done;
  await settled(app);

  expect(askedSince(before)).toHaveLength(SAMPLES * 3);
  const [run] = await runsOf(candidate);
  expect(run?.state).toBe('done');
  expect(await samplesOf(run)).toHaveLength(SAMPLES * 3);
});

test('a rater sees the push-back between two messages, and what was said to an earlier question', async () => {
  await start();
  const candidate = await newCandidate(app);
  app.model.next(replyWith('vague', 'Which flour did you weigh for it?'));
  await candidate.answer('I baked a loaf of rye, early as always');
  const touching = {
    verdict: 'answered',
    sources: '',
    asks: 'no',
    about: '',
    touches: '3',
    text: 'Thank you.',
    labels: '',
  };
  app.model.next({ kind: 'completion', content: JSON.stringify(touching) });
  await candidate.answer('Two kilos of whole rye, and I start at three anyway');
  await candidate.answer('Because bread is honest work');
  await candidate.answer('Yes, as I told you before');
  const before = app.model.requests.length;
  await live(app, 10_000);

  const lines = askedSince(before).map(
    ({ data }) => (JSON.parse(data) as { messages: object[] }).messages,
  );
  expect(lines[0]).toEqual([
    { id: 'm1', text: 'I baked a loaf of rye, early as always' },
    { interviewer: expect.stringContaining('Which flour did you weigh') as string },
    { id: 'm2', text: 'Two kilos of whole rye, and I start at three anyway' },
  ]);
  expect(lines.at(-1)).toEqual([
    {
      id: 'm1',
      said: 'to question 1',
      text: 'Two kilos of whole rye, and I start at three anyway',
    },
    { id: 'm2', text: 'Yes, as I told you before' },
  ]);
});
