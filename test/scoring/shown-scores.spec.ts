import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ScoringRepository, ShownScores } from '../../src/scoring';
import { Calibration } from '../../src/scoring/calibration';
import { HiringDecisionRepository } from '../../src/scoring/hiring-decision.repository';
import { ConversationRepository } from '../../src/interview';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });

let app: TestApp;

beforeEach(async () => {
  app = await startInterviews({ env: { SCORING: 'true' } });
  app.model.always(ratingReply('good', ANSWERED));
});

afterEach(() => closeInterviews(app));

function colloquy(...args: string[]) {
  return runCli(args, {
    DATABASE_URL: app.databaseUrl,
    SCORING: 'true',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: app.model.baseUrl,
  });
}

/** A finished interview that is scored by certified versions. */
async function scored(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const about of ['rye bread', 'the reason for bread', 'the hour of four']) {
    await candidate.answer(words(about));
  }
  await live(app, 10_000);
  const versions = `select distinct rubric_hash, model, prompt_hash from score_sample
    where kind = 'criterion'`;
  await app.sql(
    `insert into certification (rubric_hash, model, prompt_hash, figures, certified_at)
     select v.*, '{}', now() from (${versions}) v`,
  );
  await app.sql(
    `insert into fairness_result (rubric_hash, model, prompt_hash, is_passed, figures, measured_at)
     select v.*, true, '{}', now() from (${versions}) v`,
  );
  return candidate;
}

/** Rates the answers as they are now. */
function rate({ id }: Interviewee, rater: string, ...questionIds: string[]): Promise<void> {
  return app.commit(async (tx) => {
    const conversation = await app.get(ConversationRepository).find(tx, id);
    if (conversation === undefined) throw new Error('there is no conversation');
    const { vacancyId, plan } = conversation;
    const ratings = questionIds.map((questionId) => ({ questionId, criterion: 'answer', mark: 4 }));
    const interview = { id, vacancyId, questions: plan.questions };
    await app.get(Calibration).rate(tx, interview, rater, ratings);
  });
}

function shownTo({ id }: Interviewee, reviewer: string) {
  return app.commit((tx) => app.get(ShownScores).ofInterview(tx, id, reviewer));
}

function show({ id }: Interviewee, reviewer: string) {
  return colloquy('score', 'show', '--conversation', id, '--by', reviewer);
}

/** It belongs to the first two questions. */
async function addition(candidate: Interviewee): Promise<void> {
  await candidate.answer(words('one more thing'));
  const placed = { messages: [{ id: 'm1', questions: ['q1', 'q2'] }] };
  app.model.next({ kind: 'completion', content: JSON.stringify(placed) });
  await live(app, 10_000);
}

const object = ({ id }: Interviewee) =>
  app.sql('update conversation set automated_processing_objected_at = now() where id = $1', [id]);

test('a reviewer rates a changed answer before seeing the score of its new text', async () => {
  const candidate = await scored();
  await rate(candidate, 'Vera', 'last', 'why');
  expect(await shownTo(candidate, 'vera')).toMatchObject([{ overall: { value: 4 } }]);

  await addition(candidate);
  await expect(shownTo(candidate, 'Vera')).rejects.toThrow(
    'Vera has to rate first (./colloquy score rate): last/answer, why/answer.',
  );
  await rate(candidate, 'Vera', 'last');
  await expect(shownTo(candidate, 'Vera')).rejects.toThrow(': why/answer.');
  await rate(candidate, 'Vera', 'why');

  expect(await shownTo(candidate, 'Vera')).toMatchObject([
    { unrated: [], overall: { value: 4 } },
    { unrated: [], overall: { value: 4 } },
  ]);
});

test('the scores of a text that is no longer there are hidden from whoever did not rate it', async () => {
  const candidate = await scored();
  await rate(candidate, 'Vera', 'last');
  await addition(candidate);
  await rate(candidate, 'Vera', 'last', 'why');

  const [before, after] = await shownTo(candidate, 'Vera');
  expect(before).toMatchObject({ unrated: ['why'], inShadow: [], overall: null });
  expect(before?.questions.map(({ questionId }) => questionId)).toEqual(['last']);
  expect(after).toMatchObject({ unrated: [], overall: { value: 4 } });
  expect(after?.questions.map(({ questionId }) => questionId)).toEqual(['last', 'why', 'early']);
  const { out } = await show(candidate, 'Vera');
  expect(out).toContain('Answered differently since, and not rated before that: why.');
  expect(out.match(/why, answer/g)).toHaveLength(1);
});

describe('after an objection', () => {
  test('nobody sees a score, and the command says why', async () => {
    const candidate = await scored();
    await rate(candidate, 'Vera', 'last', 'why');
    await object(candidate);

    expect(await shownTo(candidate, 'Vera')).toEqual([]);
    const { code, out } = await show(candidate, 'Vera');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^The candidate objected to a rating \(.*\), so no score is shown\.\n$/,
      ),
    ]);
  });

  test("a decision file holds no score and says when, and keeps people's ratings", async () => {
    const candidate = await scored();
    await rate(candidate, 'Vera', 'last');
    await object(candidate);
    const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-objected-'));
    const file = path.join(folder, 'decision.json');
    const candidateId = await app.commit(async (tx) => {
      const found = await app.get(ConversationRepository).find(tx, candidate.id);
      const candidateId = found?.candidateId ?? '';
      const of = { candidateId, by: 'Vera', reason: 'Invited', isAdverse: false };
      await app.get(HiringDecisionRepository).add(tx, of);
      return of.candidateId;
    });
    const { code } = await runCli(
      ['decision', 'export', '--candidate', candidateId, '--out', file],
      { DATABASE_URL: app.databaseUrl, COLLOQUY_DATA_DIR: path.join(folder, 'data') },
    );

    expect(code).toBe(0);
    const { payload } = JSON.parse(await readFile(file, 'utf8')) as {
      payload: { interviews: object[] };
    };
    expect(payload.interviews).toMatchObject([
      {
        objectedAt: expect.any(String) as string,
        runs: [],
        ratings: [{ rater: 'Vera', questionId: 'last' }],
      },
    ]);
    await rm(folder, { recursive: true });
  });

  test('no model reads the answers again for a replay', async () => {
    const candidate = await scored();
    const [run] = await app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [candidate.id]));
    await object(candidate);
    const asked = app.model.requests.length;

    const { code, err } = await colloquy('replay', '--score', run?.id ?? '');

    expect([code, err]).toEqual([1, expect.stringContaining('objected to a rating')]);
    expect(app.model.requests).toHaveLength(asked);
  });
});
