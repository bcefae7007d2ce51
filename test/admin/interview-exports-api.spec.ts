import { hashToken } from '../../src/common/ids';
import { initialState } from '../../src/interview/plan/state';
import { readCsv } from '../../src/scoring/csv';
import { ShownScores } from '../../src/scoring/shown-scores';
import { ratingReply } from '../../tools/fake-model/raters';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { planOf } from '../support/plans';

const PLAN = planOf(2);
const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });
const PLACE = '/api/v1/interviews/export';

interface Exported {
  readonly id: string;
  readonly candidate: { readonly name: string | null };
  readonly overall: number | null;
  readonly decision: { readonly decidedBy: string; readonly reason: string } | null;
}

let app: TestApp;
let nora: Colleague;
let omar: Colleague;
let people = 0;

beforeAll(async () => {
  app = await startInterviews({ env: { SCORING: 'true' } });
  app.model.always(ratingReply('good', ANSWERED));
});

beforeEach(async () => {
  people += 1;
  nora = await colleague(app, { name: `Nora ${String(people)}`, role: 'recruiter' });
  omar = await colleague(app, { name: `Omar ${String(people)}`, role: 'recruiter' });
});

afterAll(() => closeInterviews(app));

/** Interviews of candidates with these names, for a vacancy of their own. */
async function addInterviews(slug: string, names: readonly string[]): Promise<void> {
  const { id } = await app.addVacancy({ slug });
  await app.sql(
    `with people as (
       insert into candidate (id, name, contact) select gen_random_uuid(), name, '+7 900 000-00-00'
       from unnest($2::text[]) name returning id)
     insert into conversation (id, vacancy_id, candidate_id, language, plan, state, status)
     select gen_random_uuid(), $1, id, 'en', $3, $4, 'active' from people returning id`,
    [id, names, PLAN, initialState(PLAN)],
  );
}

/** A finished interview whose scores may be shown. */
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
     select v.*, '{}', now() from (${versions}) v on conflict do nothing`,
  );
  await app.sql(
    `insert into fairness_result (rubric_hash, model, prompt_hash, is_passed, figures, measured_at)
     select v.*, true, '{}', now() from (${versions}) v on conflict do nothing`,
  );
  return candidate;
}

async function rate(by: Colleague, { id }: Interviewee, ...questions: string[]): Promise<void> {
  for (const question of questions) {
    const place = `/api/v1/interviews/${id}/ratings/${question}`;
    const body = { criteria: [{ name: 'answer', mark: 5 }] };
    expect((await by.request('PUT', place, { body })).status).toBe(200);
  }
}

async function json(by: Colleague, query = ''): Promise<readonly Exported[]> {
  const response = await by.request('GET', `${PLACE}?format=json${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: Exported[] }).items;
}

async function figureFor(by: Colleague, { id }: Interviewee): Promise<number | null | undefined> {
  return (await json(by)).find((one) => one.id === id)?.overall;
}

async function isOpen(by: Colleague, { id }: Interviewee): Promise<boolean> {
  const { fixed } = await app.one<{ fixed: number }>(
    `select count(p.fixed_at)::int as fixed from person_rating p join rating_item i on i.id = p.item_id
     where i.conversation_id = $1 and p.rater = $2`,
    [id, by.name],
  );
  return fixed === 0;
}

test('figures of many interviews cost as many statements as of one', async () => {
  const finished = [await scored(), await scored(), await scored()];
  for (const one of finished) await rate(nora, one, 'last', 'why');
  const ids = finished.map(({ id }) => id);

  const of = async (conversationIds: readonly string[]) => {
    let count = 0;
    const figures = await app.commit((tx) => {
      const counted = new Proxy(tx, {
        get(target, key) {
          if (key === 'query') count += 1;
          return Reflect.get(target, key) as unknown;
        },
      });
      return app.get(ShownScores).figures(counted, conversationIds, nora.name);
    });
    return { count, figures: [...figures] };
  };
  const [first = ''] = ids;
  const one = await of([first]);
  const all = await of(ids);

  expect(one.figures.map(([id]) => id)).toEqual([first]);
  expect(all.figures.map(([id]) => id).toSorted()).toEqual(ids.toSorted());
  expect(all.count).toBe(one.count);
});

describe('a list of interviews as a file', () => {
  test('is CSV that a spreadsheet of the chosen language reads, and runs nothing of', async () => {
    await addInterviews('formulas', ['=HYPERLINK("http://x")', 'Ада; "Лавлейс"']);

    const response = await nora.request('GET', `${PLACE}?vacancy=formulas&language=ru`);

    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="interviews-\d{4}-\d\d-\d\d\.csv"/,
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [header = ''] = bytes.toString().slice(1).split('\r\n');
    expect(header).toBe(
      'Интервью;Имя;Контакт;Внешний номер;Вакансия;Состояние;Вопрос;Всего вопросов;Без ответа;Канал;Язык;' +
        'Открыто (UTC);Последнее событие (UTC);Оценка;Решение;Кто решил;Когда решено (UTC);Причина',
    );
    const rows = readCsv(bytes.toString(), ['имя', 'контакт', 'состояние']);
    expect(rows.map(({ cells }) => cells['имя']).toSorted()).toEqual([
      `'=HYPERLINK("http://x")`,
      'Ада; "Лавлейс"',
    ]);
    expect(rows[0]?.cells['контакт']).toBe(`'+7 900 000-00-00`);
    expect(rows[0]?.cells['состояние']).toBe('Ждём кандидата');
  });

  test.each([
    ['', 'Interview,Name,'],
    ['&separator=tab', 'Interview\tName\t'],
    ['&separator=semicolon', 'Interview;Name;'],
    ['&language=ru&separator=comma', 'Интервью,Имя,'],
  ])('separates its cells as it is asked to (%s)', async (query, begins) => {
    const response = await nora.request('GET', `${PLACE}?vacancy=nobody${query}`);

    const text = (await response.text()).replace('\uFEFF', '');
    expect(text.startsWith(begins)).toBe(true);
    // There is no such vacancy, so only the names of the columns.
    expect(text.split('\r\n')).toHaveLength(2);
  });

  test('has each row once, over many pages, and each is in the audit', async () => {
    const names = Array.from({ length: 450 }, (_, n) => `Many ${String(n)}`);
    await addInterviews('many', names);

    const items = await json(nora, '&vacancy=many');

    expect(items.map(({ candidate }) => candidate.name).toSorted()).toEqual(names.toSorted());
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const { count } = await app.one<{ count: number }>(
      `select count(*)::int as count from audit_event
       where actor = $1 and action = 'interview.export' and subject_hash = any($2::text[])`,
      [`user ${nora.name}`, items.map(({ id }) => hashToken(id))],
    );
    expect(count).toBe(450);
  });

  test('is cut off, and leaves no commit behind, when its reader goes away', async () => {
    const gone = new AbortController();
    const { token } = await makeKey(app);
    const response = await fetch(`${app.url}${PLACE}?format=json&vacancy=many`, {
      headers: bearer({ token }),
      signal: gone.signal,
    });
    await response.body?.getReader().read();
    gone.abort();

    expect(await json(nora, '&vacancy=many')).toHaveLength(450);
  });

  test('shows a score after one’s own rating of all of it, which then stays', async () => {
    const candidate = await scored();
    await rate(nora, candidate, 'last');

    expect(await figureFor(nora, candidate)).toBeNull();
    expect(await isOpen(nora, candidate)).toBe(true);

    await rate(nora, candidate, 'why');
    expect(await figureFor(nora, candidate)).toBe(4);
    expect(await isOpen(nora, candidate)).toBe(false);
    expect(await figureFor(omar, candidate)).toBeNull();
  });

  test('shows scores to a key by the name of somebody who has rated, and else none', async () => {
    const candidate = await scored();
    await rate(nora, candidate, 'last', 'why');
    const read = async (scopes: readonly string[], query: string) => {
      const { token } = await makeKey(app, { scopes });
      const response = await fetch(`${app.url}${PLACE}?format=json${query}`, {
        headers: bearer({ token }),
      });
      const { items } = (await response.json()) as { items: Exported[] };
      return items.find(({ id }) => id === candidate.id)?.overall;
    };
    const named = `&reviewer=${encodeURIComponent(nora.name)}`;

    expect(await read(['candidates:export', 'scores:read'], '')).toBeNull();
    expect(await read(['candidates:export'], named)).toBeNull();
    expect(await read(['candidates:export', 'scores:read'], '&reviewer=Nobody')).toBeNull();
    expect(await read(['candidates:export', 'scores:read'], named)).toBe(4);
  });

  test('has the newest decision for whoever may read decisions', async () => {
    const candidate = await scored();
    for (const reason of ['A first look.', 'After a talk.']) {
      await app.sql(
        `insert into decision (candidate_id, decided_by, reason, decided_at)
         select candidate_id, 'Vera', $2, now() from conversation where id = $1 returning id`,
        [candidate.id, reason],
      );
    }
    const { token } = await makeKey(app, { scopes: ['candidates:export'] });

    const mine = (await json(nora)).find(({ id }) => id === candidate.id);
    const response = await fetch(`${app.url}${PLACE}?format=json`, { headers: bearer({ token }) });
    const { items } = (await response.json()) as { items: Exported[] };

    expect(mine?.decision).toMatchObject({ decidedBy: 'Vera', reason: 'After a talk.' });
    expect(items.find(({ id }) => id === candidate.id)?.decision).toBeNull();
  });

  test.each([
    ['state=asleep', '422 invalid_body'],
    ['format=xlsx', '422 invalid_body'],
    ['separator=|', '422 invalid_body'],
    ['since=yesterday', '422 invalid_body'],
    ['text=%00', '400 malformed_request'],
    ['reviewer=Nora', '422 invalid_body'],
  ])('is refused with %s', async (query, refusal) => {
    expect(await outcomeOf(await nora.request('GET', `${PLACE}?${query}`))).toBe(refusal);
  });

  test('is for recruiters and admins who have just shown their password', async () => {
    const outcomes: Record<string, string> = {};
    for (const role of ['admin', 'recruiter', 'interviewer', 'viewer'] as const) {
      const who = await colleague(app, { name: `${role} ${String(people)}`, role });
      outcomes[role] = await outcomeOf(await who.request('GET', PLACE));
    }
    app.clock.advance(11 * 60_000);
    outcomes['later'] = await outcomeOf(await nora.request('GET', PLACE));
    const asked = await nora.request('GET', '/api/v1/team/session/confirmed');

    expect(outcomes).toEqual({
      admin: '200',
      recruiter: '200',
      interviewer: '403 scope_missing',
      viewer: '403 scope_missing',
      later: '403 password_needed',
    });
    expect(await outcomeOf(asked)).toBe('403 password_needed');
  });

  test('has nothing of other vacancies for a key that is limited to some', async () => {
    await addInterviews('ours', ['Ours']);
    const { id } = await app.one<{ id: string }>(`select id from vacancy where slug = 'ours'`);
    const { token } = await makeKey(app, { vacancyIds: [id] });
    const read = async (query: string) => {
      const response = await fetch(`${app.url}${PLACE}?format=json${query}`, {
        headers: bearer({ token }),
      });
      return ((await response.json()) as { items: Exported[] }).items;
    };

    expect((await read('')).map(({ candidate }) => candidate.name)).toEqual(['Ours']);
    expect(await read('&vacancy=many')).toEqual([]);
  });
});
