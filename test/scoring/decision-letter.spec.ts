import { REMIND_AFTER_DAYS } from '../../src/scoring/letter-reminders';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashToken } from '../../src/common/ids';
import { PersonalDataService } from '../../src/privacy';
import { HiringDecisionRepository, LetterReminders } from '../../src/scoring';
import { type LetterSource, letterOf } from '../../src/scoring/decision-letter';
import { VacancyRepository } from '../../src/vacancies';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import { type CliRun, runCli } from '../support/run-cli';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const DAY_MS = 24 * 3_600_000;
const REMIND_MS = REMIND_AFTER_DAYS * DAY_MS;
const REASON = 'No experience with sourdough';

let app: TestApp;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-letters-'));
  app = await startInterviews({ env: { SCORING: 'true' }, vacancy: { notices: ['us-co'] } });
  app.model.always(ratingReply('good', ANSWERED));
});

afterAll(async () => {
  await closeInterviews(app);
  await rm(folder, { recursive: true });
});

afterEach(() => setNotices(['us-co']));

function colloquy(...args: string[]): Promise<CliRun> {
  return runCli(args, {
    DATABASE_URL: app.databaseUrl,
    COLLOQUY_DATA_DIR: path.join(folder, 'data'),
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: app.model.baseUrl,
  });
}

async function setNotices(
  notices: readonly ['us-co'] | readonly ['us-ca'] | readonly [],
): Promise<void> {
  await app.commit((tx) => app.get(VacancyRepository).upsert(tx, vacancyDraft({ notices })));
}

async function idOf({ id }: Interviewee): Promise<string> {
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [id],
  );
  return candidateId;
}

/** A candidate who has agreed and was asked the first question. */
async function begun(): Promise<{ candidate: Interviewee; candidateId: string }> {
  const candidate = await newCandidate(app);
  return { candidate, candidateId: await idOf(candidate) };
}

/** The same after the interview, whose answers are rated. */
async function scored(): Promise<{ candidate: Interviewee; candidateId: string }> {
  const person = await begun();
  for (const [index] of app.vacancy.plan.questions.entries()) {
    await person.candidate.answer(words(`the answer ${String(index)} and its story`));
  }
  await live(app, 10_000);
  return person;
}

async function decide(candidateId: string, isAdverse = true): Promise<void> {
  const decision = { candidateId, by: 'Nora', reason: REASON, isAdverse };
  await app.commit((tx) => app.get(HiringDecisionRepository).add(tx, decision));
}

function write(candidateId: string, ...args: string[]): Promise<CliRun> {
  return colloquy('decision', 'notice', '--candidate', candidateId, ...args);
}

function sweep(): Promise<number> {
  return app.get(LetterReminders).sweep();
}

async function items({ id }: Interviewee) {
  return app.sql<{ kind: string; closed_by: string | null; reason: string }>(
    `select kind, closed_by, reason from attention
     where conversation_id = $1 and kind = 'letter' order by id`,
    [id],
  );
}

async function payloadOf(candidateId: string, name: string): Promise<LetterSource> {
  const file = path.join(folder, name);
  const { code, err } = await colloquy(
    'decision',
    'export',
    '--candidate',
    candidateId,
    '--out',
    file,
  );
  expect([code, err]).toEqual([0, '']);
  return (JSON.parse(await readFile(file, 'utf8')) as { payload: LetterSource }).payload;
}

describe('the letter about an adverse decision', () => {
  test.each(['en', 'ru'] as const)(
    'is written from the decision file and nothing else (%s)',
    async (language) => {
      const { candidateId } = await scored();
      await decide(candidateId);

      const { code, out } = await write(candidateId, '--language', language);

      expect(code).toBe(0);
      const payload = await payloadOf(candidateId, `letter-${language}.json`);
      expect(out).toBe(letterOf(payload, language));
      for (const said of ['Nora', REASON, 'Baker', 'Crumb', 'What did you bake last?', '/mydata']) {
        expect(out).toContain(said);
      }
      // The interview was rated, and no rubric is certified: nobody saw a score.
      expect(out).toMatch(/an AI \(.+\) rated your answers|ИИ \(.+\) оценил ваши ответы/);
      expect(out).toMatch(/were not shown to anybody|никому не показывали/);
      expect(out).not.toContain(candidateId);
    },
  );

  test('names what a changed file holds, word for word, and leaves out what it does not hold', () => {
    const source: LetterSource = {
      decisions: [
        { decidedBy: 'Ivo', reason: 'R-1', decidedAt: '2027-01-05T10:00:00.000Z', isAdverse: true },
        {
          decidedBy: 'Una',
          reason: 'R-2',
          decidedAt: '2027-01-06T10:00:00.000Z',
          isAdverse: false,
        },
      ],
      interviews: [
        {
          vacancy: { title: 'Miller', company: 'Mill' },
          consent: { version: '2026-11-script', accepted: true, at: '2027-01-04T09:00:00.000Z' },
          questions: [
            { id: 'a', text: 'Asked?' },
            { id: 'b', text: 'Not answered?' },
          ],
          answers: { a: [{}] },
          objectedAt: null,
          ratings: [],
          runs: [],
        },
      ],
    };

    const letter = letterOf(source, 'en');

    expect(letter).toContain('On 2027-01-05, Ivo decided against your application.');
    expect(letter).toContain('- Asked?');
    expect(letter).toContain('A script asked the questions. No AI read your answers.');
    expect(letter).toContain('There is no automated rating of your answers.');
    for (const other of ['Una', 'R-2', 'Not answered?', 'Marks that people gave', 'an AI (']) {
      expect(letter).not.toContain(other);
    }
  });

  test('says after an objection that no automated rating was relied on', async () => {
    const { candidate, candidateId } = await begun();
    await candidate.answer('I object');
    await decide(candidateId);

    const { out } = await write(candidateId);

    expect(out).toContain('You objected to automated processing on');
    expect(out).not.toContain('rated your answers');
  });

  test('is refused in words where there is no decision, and none against the candidate', async () => {
    const { candidateId } = await begun();

    const undecided = await write(candidateId);
    expect(undecided.code).not.toBe(0);
    expect(undecided.err).toContain('There is no decision about this candidate.');

    const recorded = await colloquy(
      ...['decision', 'record', '--candidate', candidateId, '--by', 'Nora', '--reason', 'Invited'],
      '--not-adverse',
    );
    expect(recorded.code).toBe(0);
    const invited = await write(candidateId);
    expect(invited.code).not.toBe(0);
    expect(invited.err).toContain('No decision about this candidate is against them');
    expect(await write(candidateId, '--language', 'de')).toMatchObject({ code: 2 });
  });

  test('is recorded: who first wrote it and when, and each time in the audit', async () => {
    const { candidateId } = await begun();
    await decide(candidateId);

    await write(candidateId, '--by', 'Nora');
    await write(candidateId, '--by', 'Ivo');

    const { decisions } = JSON.parse(
      (await colloquy('decision', 'list', '--candidate', candidateId, '--json')).out,
    ) as { decisions: object[] };
    expect(decisions).toEqual([expect.objectContaining({ isAdverse: true, letterBy: 'Nora' })]);
    const audited = await app.sql<{ action: string }>(
      'select action from audit_event where subject_hash = $1',
      [hashToken(candidateId)],
    );
    expect(audited.map(({ action }) => action)).toEqual(['decision.notice', 'decision.notice']);
  });
});

describe('the reminder of a missing letter', () => {
  test('comes once, after the set time, and names the command', async () => {
    const { candidate, candidateId } = await begun();
    await decide(candidateId);

    app.clock.advance(REMIND_MS - 60_000);
    await sweep();
    expect(await items(candidate)).toEqual([]);

    app.clock.advance(120_000);
    await sweep();
    await sweep();
    const [item, ...others] = await items(candidate);
    expect(others).toEqual([]);
    expect(item?.closed_by).toBeNull();
    expect(item?.reason).toContain(`decision notice --candidate ${candidateId}`);
  });

  test('is closed when the letter is written', async () => {
    const { candidate, candidateId } = await begun();
    await decide(candidateId);
    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();

    await write(candidateId);

    expect(await items(candidate)).toMatchObject([{ closed_by: 'colloquy' }]);
  });

  test('does not come again when a person has closed it', async () => {
    const { candidate, candidateId } = await begun();
    await decide(candidateId);
    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();
    const { id } = await app.one<{ id: string }>(
      `select id from attention where conversation_id = $1 and kind = 'letter'`,
      [candidate.id],
    );
    await colloquy('attention', 'close', id, '--by', 'Nora', '--reason', 'Sent by post');

    app.clock.advance(DAY_MS);
    await sweep();

    expect(await items(candidate)).toMatchObject([{ closed_by: 'Nora' }]);
  });

  test.each([
    ['the letter is written in time', true, true, ['us-co']],
    ['the decision is in favour of the candidate', false, false, ['us-co']],
    ['the candidate agreed to no notice that asks for a letter', true, false, ['us-ca']],
    ['the vacancy has no notice', true, false, []],
  ] as const)('does not come where %s', async (_, isAdverse, isWritten, notices) => {
    await setNotices(notices);
    const { candidate, candidateId } = await begun();
    await decide(candidateId, isAdverse);
    if (isWritten) await write(candidateId);

    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();

    expect(await items(candidate)).toEqual([]);
  });

  test('comes where the vacancy got the notice after the consent', async () => {
    await setNotices([]);
    const earlier = await begun();
    await decide(earlier.candidateId);
    await setNotices(['us-co']);
    const told = await begun();
    await decide(told.candidateId);
    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();

    expect(await items(earlier.candidate)).toHaveLength(1);
    expect(await items(told.candidate)).toHaveLength(1);
  });

  test('comes where the vacancy has lost the notice that the candidate agreed to', async () => {
    const { candidate, candidateId } = await begun();
    await decide(candidateId);
    await setNotices([]);
    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();

    expect(await items(candidate)).toHaveLength(1);
  });

  test('brings no items for decisions of long ago when a vacancy gets the notice', async () => {
    await setNotices([]);
    const { candidate, candidateId } = await begun();
    await decide(candidateId);
    app.clock.advance(31 * DAY_MS);
    await setNotices(['us-co']);
    await sweep();

    expect(await items(candidate)).toEqual([]);
  });

  test('goes with a candidate who is erased', async () => {
    const { candidate, candidateId } = await begun();
    await decide(candidateId);
    app.clock.advance(REMIND_MS + DAY_MS);
    await sweep();
    expect(await items(candidate)).toHaveLength(1);

    await app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId));
    await sweep();

    expect(await items(candidate)).toEqual([]);
  });
});
