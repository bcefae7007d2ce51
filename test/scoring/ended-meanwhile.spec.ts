import { hashToken } from '../../src/common/ids';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { PersonalDataService } from '../../src/privacy';
import { ScoringRepository } from '../../src/scoring';
import { ratingReply } from '../../tools/fake-model/raters';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { closeInterviews, live, settled, startInterviews, words } from '../interview/interviews';
import type { TestApp } from '../support/app';
import { runCli } from '../support/run-cli';
import { vacancyDraft } from '../support/vacancies';

/**
 * An erasure, an objection or a withdrawal between two requests about one person: no further request is
 * sent, and nothing of what was asked for stays.
 */

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const HELD = { kind: 'hold', content: '{"result":"absent",', rest: '"mark":null}' } as const;

let app: TestApp;

beforeEach(async () => {
  app = await startInterviews({ env: { SCORING: 'true' }, vacancy: vacancyDraft() });
  app.model.always(ratingReply('good', ANSWERED));
});
afterEach(() => closeInterviews(app));

async function answeredAll(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await candidate.answer(words(`the answer number ${String(index)} and its story`));
  }
  return candidate;
}

async function erase({ id }: Interviewee): Promise<void> {
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [id],
  );
  await app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId));
}

function object({ id }: Interviewee): Promise<void> {
  return app.commit((tx) => app.get(ConversationRepository).recordObjection(tx, id));
}

function withdraw(candidate: Interviewee): Promise<void> {
  return candidate.withdraw();
}

/** After so many samples, the next request waits for its completion until `release`. */
function heldAfter<T>(samples: number, begin: () => Promise<T>): Promise<T> {
  const rated = Array.from({ length: samples }, () => ratingReply('good', ANSWERED));
  app.model.next(...rated, HELD);
  return begin();
}

function replay(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return runCli(['replay', ...args], {
    DATABASE_URL: app.databaseUrl,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: app.model.baseUrl,
    SCORING: 'true',
  });
}

async function audited(id: string): Promise<string[]> {
  const rows = await app.sql<{ action: string }>(
    'select action from audit_event where subject_hash = $1 order by id',
    [hashToken(id)],
  );
  return rows.map(({ action }) => action);
}

async function runId({ id }: Interviewee): Promise<string> {
  const [run] = await app.commit((tx) => app.get(ScoringRepository).runsOf(tx, [id]));
  return run?.id ?? '';
}

describe.each([
  ['an erasure', erase, 4, 'There is no scoring'],
  ['an objection', object, 1, 'objected to a rating'],
  ['a withdrawal', withdraw, 1, 'has withdrawn'],
] as const)('after %s', (_what, happens, exitCode, message) => {
  test('a replay of a scoring sends nothing more, and its audit row was there first', async () => {
    const candidate = await answeredAll();
    await live(app, 10_000);
    const id = await runId(candidate);
    const asked = app.model.requests.length;

    const done = heldAfter(2, () => replay('--score', id));
    await app.model.request(asked + 3);
    expect(await audited(candidate.id)).toEqual(['score.replay']);
    await happens(candidate);
    app.model.release();
    const { code, out, err } = await done;

    expect([code, out, err]).toEqual([exitCode, '', expect.stringContaining(message)]);
    expect(app.model.requests).toHaveLength(asked + 3);
    const names = happens === erase ? await app.rowsWith([candidate.id]) : [];
    expect(names).toEqual([]);
  });

  test('a scoring sends nothing more, and keeps nothing', async () => {
    const candidate = await answeredAll();
    const asked = app.model.requests.length;

    const done = heldAfter(2, () => live(app, 10_000));
    await app.model.request(asked + 3);
    await happens(candidate);
    app.model.release();
    await done;
    await settled(app);

    expect(app.model.requests).toHaveLength(asked + 3);
    expect(await app.sql('select from score_run')).toEqual([]);
    expect(await app.sql('select from score_sample')).toEqual([]);
    const names = happens === erase ? await app.rowsWith([candidate.id]) : [];
    expect(names).toEqual([]);
  });
});

describe('a replay of a reply', () => {
  async function replied(): Promise<{ candidate: Interviewee; reply: string }> {
    const candidate = await newCandidate(app);
    await candidate.answer(words());
    return { candidate, reply: (await candidate.turns()).at(-1)?.id ?? '' };
  }

  test.each([
    ['an objection', object, 'objected to automated processing'],
    ['a withdrawal', withdraw, 'has withdrawn'],
    [
      'a new consent of another person',
      ({ id }: Interviewee) =>
        app.sql('update conversation set consent_at = consent_at where id = $1', [id]),
      'wrote this under another consent',
    ],
  ] as const)('is refused after %s', async (_what, happens, message) => {
    const { candidate, reply } = await replied();
    await happens(candidate);
    const asked = app.model.requests.length;

    const { code, err } = await replay('--reply', reply);

    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    expect(app.model.requests).toHaveLength(asked);
  });

  test('writes its audit row before the model is asked, and an erasure leaves nothing else', async () => {
    const { candidate, reply } = await replied();
    const asked = app.model.requests.length;

    const done = heldAfter(0, () => replay('--reply', reply));
    await app.model.request(asked + 1);
    expect(await audited(candidate.id)).toEqual(['reply.replay']);
    await erase(candidate);
    app.model.release();
    expect(await done).toMatchObject({ code: 4, out: '' });

    expect(await app.sql(`select from llm_request where purpose = 'replay'`)).toEqual([]);
    expect(await app.rowsWith([candidate.id])).toEqual([]);
  });
});
