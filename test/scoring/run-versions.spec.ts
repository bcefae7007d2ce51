import { ScoringRepository } from '../../src/scoring';
import { SAMPLES } from '../../src/scoring/scorecard';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });

let app: TestApp;

afterEach(() => closeInterviews(app));

test.each(['model', 'prompt_hash'])(
  'a run that an earlier version began with another %s is begun anew',
  async (column) => {
    app = await startInterviews({ env: { SCORING: 'true' } });
    app.model.always(ratingReply('good', ANSWERED));
    const candidate = await newCandidate(app);
    for (const about of ['rye bread', 'the reason', 'the hour of four']) {
      await candidate.answer(words(about));
    }
    const four = Array.from({ length: 4 }, () => ratingReply('good', ANSWERED));
    app.model.next(...four, { kind: 'status', status: 503 });
    await live(app, 1, 1);
    // As if another version of the program had asked so far.
    await app.sql(`insert into scoring_prompt (hash, name, version, text, created_at)
      values ('another', 'criterion', 0, 'Rate.', now())`);
    await app.sql(`update score_sample set ${column} = 'another'`);
    await live(app, 120_000, 5000);

    const scores = app.get(ScoringRepository);
    const runs = await app.commit((tx) => scores.runsOf(tx, [candidate.id]));
    expect(runs.map(({ state }) => state)).toEqual(['failed', 'done']);
    const samples = await app.commit((tx) => scores.samples(tx, runs[1]?.id ?? ''));
    expect(samples).toHaveLength(3 * SAMPLES);
    const origins = samples.flatMap(({ model, promptHash }) => [model, promptHash]);
    expect(origins).not.toContain('another');
  },
);
