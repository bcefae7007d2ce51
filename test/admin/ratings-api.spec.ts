import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashToken } from '../../src/common/ids';
import { ConversationRepository } from '../../src/interview';
import { PersonalDataService } from '../../src/privacy';
import { HiringDecisions, signingKey } from '../../src/scoring';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { type Colleague, colleague } from '../support/colleague';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const WHOLE = 'answer';

interface Mark {
  readonly mark: number | null;
  readonly note: string | null;
}
interface Question {
  readonly id: string;
  readonly evidence: readonly { messageId: string; start: number; end: number }[];
  readonly criteria: readonly {
    readonly name: string;
    readonly own: Mark | null;
    readonly others: readonly (Mark & { by: string; difference: number | null })[];
  }[];
  readonly isRated: boolean;
  readonly isFixed: boolean;
}

let app: TestApp;
let folder: string;
let nora: Colleague;
let omar: Colleague;
let people = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'colloquy-ratings-'));
  await signingKey(folder);
  app = await startInterviews({ env: { SCORING: 'true', COLLOQUY_DATA_DIR: folder } });
  app.model.always(ratingReply('good', ANSWERED));
});

// Everybody is new in each test, so that no rating of another one counts.
beforeEach(async () => {
  people += 1;
  nora = await colleague(app, { name: `Nora ${String(people)}`, role: 'recruiter' });
  omar = await colleague(app, { name: `Omar ${String(people)}`, role: 'recruiter' });
});

afterAll(async () => {
  await closeInterviews(app);
  await rm(folder, { recursive: true });
});

/** A finished interview, which is scored in shadow. */
async function finished(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const about of ['rye bread', 'the reason for bread', 'the hour of four']) {
    await candidate.answer(words(about));
  }
  await live(app, 10_000);
  return candidate;
}

/** A finished interview whose scores may be shown. */
async function scored(): Promise<Interviewee> {
  const candidate = await finished();
  const versions = `select distinct rubric_hash, model, prompt_hash from score_sample
    where kind = 'criterion'`;
  await app.sql(
    `insert into certification (rubric_hash, model, prompt_hash, figures, certified_at)
     select v.*, '{}', now() from (${versions}) v on conflict do nothing`,
  );
  await app.sql(
    `insert into fairness_result (rubric_hash, model, prompt_hash, is_passed, figures, measured_at)
     select v.*, true, '{}', now() from (${versions}) v on conflict do nothing`,
  );
  return candidate;
}

async function candidateOf({ id }: Interviewee): Promise<string> {
  const found = await app.commit((tx) => app.get(ConversationRepository).find(tx, id));
  return found?.candidateId ?? '';
}

function rate(
  by: Colleague,
  { id }: Interviewee,
  question: string,
  mark: number | null,
  note?: string,
): Promise<Response> {
  return by.request('PUT', `/api/v1/interviews/${id}/ratings/${question}`, {
    body: { criteria: [{ name: WHOLE, mark, ...(note === undefined ? {} : { note }) }] },
  });
}

async function seen(by: Colleague, { id }: Interviewee, query = ''): Promise<Question[]> {
  const response = await by.request('GET', `/api/v1/interviews/${id}/ratings${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { questions: Question[] }).questions;
}

/** What is shown of one question: own mark, then those of others with the difference. */
async function marks(by: Colleague, of: Interviewee, question: string, query = '') {
  const found = (await seen(by, of, query)).find(({ id }) => id === question);
  const [criterion] = found?.criteria ?? [];
  const others = criterion?.others ?? [];
  return [
    criterion?.own?.mark,
    ...others.map(({ by: name, mark, difference }) => [name, mark, difference]),
  ];
}

interface Scorecard {
  readonly scorings: {
    readonly questions: { readonly id: string }[];
    readonly unrated: string[];
    readonly overall: number | null;
  }[];
}

async function scorecard(by: Colleague, { id }: Interviewee) {
  const response = await by.request('GET', `/api/v1/interviews/${id}/scorecard`);
  expect(response.status).toBe(200);
  const { scorings } = (await response.json()) as Scorecard;
  return scorings.map(({ questions, unrated, overall }) => ({
    shown: questions.map((question) => question.id),
    unrated,
    overall,
  }));
}

async function audited(subjectId: string): Promise<string[]> {
  const rows = await app.sql<{ line: string }>(
    `select actor || ': ' || action as line from audit_event where subject_hash = $1 order by id`,
    [hashToken(subjectId)],
  );
  return rows.map(({ line }) => line);
}

async function storedRatings(conversationId: string): Promise<number> {
  const { count } = await app.one<{ count: number }>(
    `select count(*)::int as count from person_rating p join rating_item i on i.id = p.item_id
     where i.conversation_id = $1`,
    [conversationId],
  );
  return count;
}

describe('ratings of colleagues', () => {
  test('of two who rate at once neither sees the other before their own', async () => {
    const candidate = await finished();

    const [one, other] = await Promise.all([
      rate(nora, candidate, 'last', 4, 'Names the flour.'),
      rate(omar, candidate, 'last', 2),
    ]);

    expect([one.status, other.status]).toEqual([200, 200]);
    for (const response of [one, other]) {
      const { questions } = (await response.json()) as { questions: Question[] };
      expect(questions.flatMap(({ criteria }) => criteria.flatMap(({ others }) => others))).toEqual(
        [],
      );
    }
    expect(await marks(nora, candidate, 'last')).toEqual([4, [omar.name, 2, -2]]);
    expect(await marks(omar, candidate, 'last')).toEqual([2, [nora.name, 4, 2]]);
    expect(await marks(omar, candidate, 'why')).toEqual([undefined]);
    const by = await app.sql<{ rater: string }>(
      `select u.name as rater from person_rating p join rating_item i on i.id = p.item_id
       join app_user u on u.id = p.user_id where i.conversation_id = $1 order by u.name`,
      [candidate.id],
    );
    expect(by.map(({ rater }) => rater)).toEqual([nora.name, omar.name]);
  });

  test('do not show in what somebody reads who has not rated, nor in their order afterwards', async () => {
    const candidate = await finished();
    const before = await seen(nora, candidate);

    const adam = await colleague(app, { name: `Adam ${String(people)}`, role: 'recruiter' });
    await rate(omar, candidate, 'last', 5);
    await rate(adam, candidate, 'last', 1);

    expect(await seen(nora, candidate)).toEqual(before);
    await rate(nora, candidate, 'last', 3);
    expect(await marks(nora, candidate, 'last')).toEqual([
      3,
      [adam.name, 1, -2],
      [omar.name, 5, 2],
    ]);
  });

  test('fix one’s own once they are shown, and until then it may be changed', async () => {
    const candidate = await finished();
    await rate(omar, candidate, 'last', 5);

    await rate(nora, candidate, 'last', 4);
    expect(await marks(nora, candidate, 'last', '?only=own')).toEqual([4]);
    expect((await rate(nora, candidate, 'last', 2)).status).toBe(200);
    expect(await marks(nora, candidate, 'last')).toEqual([2, [omar.name, 5, 3]]);

    expect(await outcomeOf(await rate(nora, candidate, 'last', 5))).toBe('409 rating_fixed');
    // A repeat of what is stored is no change.
    expect(await outcomeOf(await rate(nora, candidate, 'last', 2))).toBe('200');
    expect(await marks(nora, candidate, 'last')).toEqual([2, [omar.name, 5, 3]]);
    // Omar has not been shown hers.
    expect(await outcomeOf(await rate(omar, candidate, 'last', 4))).toBe('200');
  });

  test('may say that it was not asked, which is neither a mark nor a difference', async () => {
    const candidate = await finished();
    await rate(omar, candidate, 'last', 5);

    await rate(nora, candidate, 'last', null);

    expect(await marks(nora, candidate, 'last')).toEqual([null, [omar.name, 5, null]]);
  });

  test('are given anew when the answer is added to', async () => {
    const candidate = await finished();
    await rate(omar, candidate, 'last', 5);
    await rate(nora, candidate, 'last', 4);
    await marks(nora, candidate, 'last');

    await candidate.answer(words('one more thing about rye'));
    await live(app, 10_000);

    expect(await marks(nora, candidate, 'last')).toEqual([undefined]);
    expect(await outcomeOf(await rate(nora, candidate, 'last', 1))).toBe('200');
    expect(await marks(nora, candidate, 'last')).toEqual([1]);
  });

  test('are refused unless each criterion has one mark, and nothing is stored', async () => {
    const candidate = await finished();
    const whole = { name: WHOLE, mark: 3 };
    const tried: [string, object[]][] = [
      ['nothing', [whole]],
      ['last', [{ name: 'style', mark: 3 }]],
      ['last', [whole, { name: WHOLE, mark: 4 }]],
      ['last', [{ name: WHOLE, mark: 6 }]],
      ['last', [{ name: WHOLE }]],
      ['last', []],
    ];

    const outcomes = [];
    for (const [question, criteria] of tried) {
      const place = `/api/v1/interviews/${candidate.id}/ratings/${question}`;
      outcomes.push(await outcomeOf(await nora.request('PUT', place, { body: { criteria } })));
    }

    const [refused, invalid] = ['422 rating_refused', '422 invalid_body'];
    expect(outcomes).toEqual([refused, refused, refused, invalid, invalid, invalid]);
    expect(await storedRatings(candidate.id)).toBe(0);
  });

  test('are refused while the interview runs', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words('rye bread'));

    const response = await rate(nora, candidate, 'last', 3);

    expect(await outcomeOf(response)).toBe('422 rating_refused');
  });

  test('leave a row in the audit when they are read and when they are changed', async () => {
    const candidate = await finished();

    await seen(nora, candidate);
    await rate(nora, candidate, 'last', 4);
    await rate(nora, candidate, 'last', 4);

    const actor = `user ${nora.name}`;
    expect(await audited(candidate.id)).toEqual([
      `${actor}: rating.read`,
      `${actor}: rating.write`,
    ]);
  });

  test('after a decision are dated after it, and the letter does not count them', async () => {
    const candidate = await finished();
    const candidateId = await candidateOf(candidate);
    await rate(nora, candidate, 'last', 4);
    const decided = { candidateId, by: nora.name, reason: 'Too little.', isAdverse: true };
    await app.commit((tx) => app.get(HiringDecisions).record(tx, decided));
    app.clock.advance(60_000);

    expect(await outcomeOf(await rate(omar, candidate, 'last', 5))).toBe('200');

    const letter = await app.commit((tx) =>
      app.get(HiringDecisions).writeLetter(tx, { candidateId, by: nora.name, language: 'en' }),
    );
    expect(letter.text).toContain('Marks that people gave your answers: 1.');
    const { is_later: isLater } = await app.one<{ is_later: boolean }>(
      `select p.rated_at > d.decided_at as is_later from decision d, person_rating p
       where d.candidate_id = $1 and p.rater = $2`,
      [candidateId, omar.name],
    );
    expect(isLater).toBe(true);
  });

  test('of a candidate who is erased meanwhile are unknown, and none is left', async () => {
    const candidate = await finished();
    await rate(omar, candidate, 'last', 5);
    const candidateId = await candidateOf(candidate);

    const [outcome] = await Promise.all([
      rate(nora, candidate, 'last', 3).then(outcomeOf),
      app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId)),
    ]);

    expect(['200', '404 conversation_unknown']).toContain(outcome);
    expect(await storedRatings(candidate.id)).toBe(0);
    expect(await outcomeOf(await rate(nora, candidate, 'last', 3))).toBe(
      '404 conversation_unknown',
    );
  });
});

describe('the scorecard for a user', () => {
  test('shows a question after their own rating of it, and then the rating stays', async () => {
    const candidate = await scored();

    expect(await scorecard(nora, candidate)).toEqual([
      { shown: [], unrated: ['last', 'why'], overall: null },
    ]);
    await rate(nora, candidate, 'last', 5);
    expect(await scorecard(nora, candidate)).toEqual([
      { shown: ['last'], unrated: ['why'], overall: null },
    ]);
    await rate(nora, candidate, 'why', 5);
    expect(await scorecard(nora, candidate)).toEqual([
      { shown: ['last', 'why', 'early'], unrated: [], overall: 4 },
    ]);
    expect(await outcomeOf(await rate(nora, candidate, 'why', 4))).toBe('409 rating_fixed');
  });

  test('takes no other name, and each reading is in the audit', async () => {
    const candidate = await scored();
    await rate(omar, candidate, 'last', 5);
    const place = `/api/v1/interviews/${candidate.id}/scorecard`;

    const asOmar = await nora.request('GET', `${place}?reviewer=${encodeURIComponent(omar.name)}`);
    await scorecard(nora, candidate);

    expect(await outcomeOf(asOmar)).toBe('422 invalid_body');
    expect(await audited(candidate.id)).toEqual([
      `user ${omar.name}: rating.write`,
      `user ${nora.name}: scorecard.read`,
    ]);
  });

  test('comes after passages to read, which do not tell what the model found', async () => {
    const candidate = await scored();

    const [question] = await seen(nora, candidate);

    expect(question?.evidence).toEqual([
      {
        messageId: expect.any(String) as string,
        start: expect.any(Number) as number,
        end: expect.any(Number) as number,
      },
    ]);
  });
});

/** The file with the decision about a candidate, made on the command line. */
async function decisionFile(by: Colleague, candidateId: string): Promise<() => Promise<string>> {
  const decided = { candidateId, by: 'Vera', reason: 'Invited.', isAdverse: false };
  const id = await app.commit((tx) => app.get(HiringDecisions).record(tx, decided));
  return async () => outcomeOf(await by.request('POST', `/api/v1/decisions/${String(id)}/export`));
}

interface Exported {
  readonly holders: {
    readonly scores?: readonly object[];
    readonly ratings?: readonly { readonly rater: string; readonly mark: number }[];
  };
}

const placeOfExport = (candidateId: string): string =>
  `/api/v1/admin/candidates/${candidateId}/export`;

/** The whole file, which is read to its end. */
async function exported(by: Colleague, candidateId: string): Promise<Exported> {
  const response = await by.request('GET', placeOfExport(candidateId));
  expect(response.status).toBe(200);
  return (await response.json()) as Exported;
}

describe('a decision file', () => {
  test('is refused to a user who has to rate first, and fixes what they have rated', async () => {
    const candidate = await finished();
    const file = await decisionFile(nora, await candidateOf(candidate));

    expect(await file()).toBe('409 rating_missing');
    await rate(nora, candidate, 'last', 4);
    expect(await file()).toBe('409 rating_missing');
    await rate(nora, candidate, 'why', null);

    expect(await file()).toBe('200');
    expect(await outcomeOf(await rate(nora, candidate, 'last', 5))).toBe('409 rating_fixed');
  });
});

describe('the export of a candidate', () => {
  test('is whole for a user who rates nobody, and who then rates no more what it has told', async () => {
    const candidate = await finished();
    const candidateId = await candidateOf(candidate);
    await rate(omar, candidate, 'last', 5);
    await rate(nora, candidate, 'last', 4);

    const { holders } = await exported(nora, candidateId);

    expect(holders.scores?.length).toBeGreaterThan(0);
    const given = holders.ratings?.map(({ rater, mark }) => [rater, mark] as const) ?? [];
    expect(new Map(given)).toEqual(
      new Map([
        [omar.name, 5],
        [nora.name, 4],
      ]),
    );
    expect(await audited(candidateId)).toEqual([`user ${nora.name}: candidate.export`]);
    expect(await outcomeOf(await rate(nora, candidate, 'last', 5))).toBe('409 rating_fixed');
    expect(await outcomeOf(await rate(nora, candidate, 'why', 3))).toBe('409 rating_fixed');
    const shown = await seen(nora, candidate, '?only=own');
    expect(shown.map(({ id, isRated, isFixed }) => [id, isRated, isFixed])).toEqual([
      ['last', true, true],
      ['why', false, true],
      ['early', false, false],
    ]);
    // Omar has been shown nothing.
    expect(await outcomeOf(await rate(omar, candidate, 'why', 3))).toBe('200');
  });

  test('opens the decision file as well, which tells nothing more', async () => {
    const candidateId = await candidateOf(await finished());
    const file = await decisionFile(nora, candidateId);
    expect(await file()).toBe('409 rating_missing');

    await exported(nora, candidateId);

    expect(await file()).toBe('200');
  });

  test('leaves an answer to be rated that was added to afterwards', async () => {
    const candidate = await finished();
    await exported(nora, await candidateOf(candidate));
    expect(await outcomeOf(await rate(nora, candidate, 'last', 4))).toBe('409 rating_fixed');

    await candidate.answer(words('one more thing about rye'));
    await live(app, 10_000);

    expect(await outcomeOf(await rate(nora, candidate, 'last', 4))).toBe('200');
  });

  test('of nobody is unknown, also under what is no id', async () => {
    const nobody = ['019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55', 'nobody'];

    for (const id of nobody) {
      const response = await nora.request('GET', placeOfExport(id));
      expect(await outcomeOf(response)).toBe('404 candidate_unknown');
    }
  });

  test('concerns no key, which is no reviewer', async () => {
    const candidate = await finished();
    const key = await makeKey(app, { scopes: ['candidates:export'] });

    const place = placeOfExport(await candidateOf(candidate));
    const response = await fetch(app.url + place, { headers: bearer(key) });

    expect(await outcomeOf(response)).toBe('200');
  });
});

describe('who may not', () => {
  test('of another vacancy reaches no rating and no score, and leaves no trace', async () => {
    const candidate = await scored();
    const { id } = await app.addVacancy({ slug: `other-${String(people)}` });
    const guest = await colleague(app, {
      name: `Guest ${String(people)}`,
      role: 'interviewer',
      vacancyIds: [id],
    });
    const place = `/api/v1/interviews/${candidate.id}`;

    const outcomes = [
      await rate(guest, candidate, 'last', 3),
      await guest.request('GET', `${place}/ratings`),
      await guest.request('GET', `${place}/scorecard`),
    ].map(outcomeOf);

    expect(await Promise.all(outcomes)).toEqual(Array(3).fill('404 conversation_unknown'));
    expect([await storedRatings(candidate.id), await audited(candidate.id)]).toEqual([0, []]);
  });

  test('an interviewer of the vacancy rates, and a viewer does not', async () => {
    const candidate = await finished();
    const vacancyIds = [app.vacancy.id];
    const guest = await colleague(app, { name: `Ida ${people}`, role: 'interviewer', vacancyIds });
    const viewer = await colleague(app, { name: `Vic ${people}`, role: 'viewer', vacancyIds });

    expect(await outcomeOf(await rate(guest, candidate, 'last', 3))).toBe('200');
    expect(await outcomeOf(await rate(viewer, candidate, 'last', 3))).toBe('403 scope_missing');
  });
});

test('people rate without scoring, with the whole answer to read', async () => {
  const plain = await startInterviews({ env: { COLLOQUY_DATA_DIR: folder } });
  try {
    plain.model.always({ kind: 'completion', content: ANSWERED });
    const candidate = await newCandidate(plain);
    for (const about of ['rye bread', 'the reason for bread', 'the hour of four']) {
      await candidate.answer(words(about));
    }
    const vera = await colleague(plain, { name: 'Vera', role: 'recruiter' });
    const found = await plain.commit((tx) =>
      plain.get(ConversationRepository).find(tx, candidate.id),
    );

    // It tells nothing of others, so the answers are still to be rated.
    await exported(vera, found?.candidateId ?? '');
    expect(await outcomeOf(await rate(vera, candidate, 'last', 4))).toBe('200');

    const [question] = await seen(vera, candidate);
    const said = words('rye bread');
    expect(question).toMatchObject({ isRated: true, isFixed: false });
    expect(question?.evidence).toMatchObject([{ start: 0, end: said.length }]);
  } finally {
    await closeInterviews(plain);
  }
});
