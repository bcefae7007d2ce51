import { stringify } from 'yaml';
import { VacancyVersionRepository } from '../../src/vacancies';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

const ADMIN = bearer({ token: ADMIN_TOKEN });

interface Version {
  readonly version: string;
  readonly madeAt: string | null;
  readonly madeBy: string | null;
  readonly isCurrent: boolean;
}

function file(changes: object = {}): object {
  return {
    slug: 'cook',
    language: 'en',
    title: 'Cook',
    company: 'Crumb',
    owner: { name: 'Ada' },
    greeting: { en: 'Hello.', ru: 'Здравствуйте.' },
    closing: 'Thank you.',
    questions: [
      { id: 'last', text: 'What did you cook last?', rubric: 'A soup.' },
      {
        id: 'early',
        kind: 'knockout',
        mustAsk: true,
        text: { en: 'Can you start at four?', ru: 'Можете начать в четыре?' },
        rubric: 'Yes.',
        knockOut: [{ name: 'early', fact: 'The candidate starts at four.' }],
      },
    ],
    ...changes,
  };
}

let app: TestApp;
let nora: Colleague;
let bo: Colleague;

beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_TOKEN } });
  nora = await colleague(app, { name: 'Nora', role: 'recruiter' });
  bo = await colleague(app, { name: 'Bo', role: 'recruiter' });
});

afterAll(() => app.close());

async function versionsOf(slug: string): Promise<Version[]> {
  const response = await fetch(`${app.url}/api/v1/vacancies/${slug}/versions`, { headers: ADMIN });
  return ((await response.json()) as { items: Version[] }).items;
}

async function etagOf(slug: string): Promise<string> {
  const response = await fetch(`${app.url}/api/v1/vacancies/${slug}/file`, { headers: ADMIN });
  return response.headers.get('etag') ?? '';
}

function replace(by: Colleague, body: object & { slug?: string }, etag: string): Promise<Response> {
  const path = `/api/v1/vacancies/${body.slug ?? 'cook'}/file`;
  return by.request('PUT', path, { body, headers: { 'if-match': etag } });
}

test('each change of a file is a version with its time and who made it, and can be read', async () => {
  await nora.request('POST', '/api/v1/vacancies', { body: file() });
  await replace(bo, file({ title: 'Chef' }), await etagOf('cook'));

  const [second, first, ...more] = await versionsOf('cook');

  expect(more).toEqual([]);
  expect(second).toMatchObject({ madeBy: 'user Bo', isCurrent: true });
  expect(first).toMatchObject({ madeBy: 'user Nora', isCurrent: false });
  expect(Date.parse(second?.madeAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.madeAt ?? ''));
  const read = await nora.request('GET', `/api/v1/vacancies/cook/versions/${first?.version ?? ''}`);
  const version = (await read.json()) as Version & { file: string };
  expect(version).toMatchObject({ ...first });
  expect(version.file).toContain('title: Cook');
  expect(`"${second?.version ?? ''}"`).toBe(await etagOf('cook'));
});

test('the second of two editors gets 412, finds the version of the first, and loses nothing', async () => {
  await nora.request('POST', '/api/v1/vacancies', { body: file({ slug: 'two' }) });
  const etag = await etagOf('two');

  const outcomes = await Promise.all([
    replace(nora, file({ slug: 'two', title: 'By Nora' }), etag),
    replace(bo, file({ slug: 'two', title: 'By Bo' }), etag),
  ]);

  const codes = await Promise.all(outcomes.map((one) => outcomeOf(one)));
  expect(codes.toSorted()).toEqual(['200', '412 version_differs']);
  const [current] = await versionsOf('two');
  const winner = codes[0]?.startsWith('200') === true ? 'Nora' : 'Bo';
  expect(current).toMatchObject({ madeBy: `user ${winner}`, isCurrent: true });
  const loser = winner === 'Nora' ? bo : nora;
  const again = await replace(loser, file({ slug: 'two', title: 'Both' }), await etagOf('two'));
  expect(again.status).toBe(200);
  expect(await versionsOf('two')).toHaveLength(3);
});

test('a file that is sent as it is makes no version, and one that returns is a version again', async () => {
  await nora.request('POST', '/api/v1/vacancies', { body: file({ slug: 'back' }) });
  const send = async (title: string) =>
    replace(nora, file({ slug: 'back', title }), await etagOf('back'));

  await send('Cook');
  await send('Chef');
  await send('Cook');

  const versions = await versionsOf('back');
  expect(versions.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
  expect(versions[0]?.version).toBe(versions[2]?.version);
});

test('a document and a logo are part of the version', async () => {
  await nora.request('POST', '/api/v1/vacancies', { body: file({ slug: 'parts' }) });
  const put = (place: string, type: string, body: string) =>
    fetch(`${app.url}/api/v1/vacancies/parts/${place}`, {
      method: 'PUT',
      headers: { ...ADMIN, 'content-type': type },
      body,
    });

  await put('documents/kitchen.md', 'text/markdown', '# Kitchen\n\nWe have two ovens.\n');
  const logo = await put('logo', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');

  expect(await logo.json()).toMatchObject({
    logo: expect.stringMatching(/^\/logos\/[0-9a-f]+$/) as string,
  });
  const [withLogo, withDocument, plain] = await versionsOf('parts');
  const read = async (one: Version | undefined) =>
    (await nora.request('GET', `/api/v1/vacancies/parts/versions/${one?.version ?? ''}`)).text();
  expect(await read(withLogo)).toContain('logo: logo.svg');
  expect(await read(withDocument)).toContain('kitchen.md');
  expect(await read(plain)).not.toContain('kitchen.md');
});

test('a vacancy of before versions were kept has its file as the first one, by nobody known', async () => {
  const { slug, plan } = await app.addVacancy({ slug: 'older' });
  // Its condition has no facts, which the import asks for by now.
  const questions = plan.questions.slice(0, 2);
  await app.addVacancy({ slug, plan: { ...plan, questions } });
  const yaml = await fetch(`${app.url}/api/v1/vacancies/${slug}/file`, {
    headers: { ...ADMIN, accept: 'application/yaml' },
  });
  const before = await versionsOf(slug);

  const changed = (await yaml.text()).replace('title: Baker', 'title: Night baker');
  const replaced = await fetch(`${app.url}/api/v1/vacancies/${slug}/file`, {
    method: 'PUT',
    headers: { ...ADMIN, 'content-type': 'application/yaml', 'if-match': '*' },
    body: changed,
  });

  expect(replaced.status).toBe(200);
  expect(before).toEqual([{ ...before[0], madeAt: null, madeBy: null, isCurrent: true }]);
  const after = await versionsOf(slug);
  expect(after.map(({ madeBy }) => madeBy)).toEqual(['ADMIN_TOKEN', null]);
  expect(after[1]?.version).toBe(before[0]?.version);
});

test('the newest 200 versions are kept', async () => {
  const { id } = await app.addVacancy({ slug: 'many' });
  const versions = app.get(VacancyVersionRepository);
  const numbered = (n: number) => n.toString(16).padStart(32, '0');

  for (let n = 1; n <= 205; n += 1) {
    const of = { version: numbered(n), yaml: `n: ${String(n)}`, by: 'the tests' };
    await app.commit((tx) => versions.keep(tx, id, of));
  }

  const kept = await app.commit((tx) => versions.list(tx, id));
  expect([kept.length, kept[0]?.version, kept.at(-1)?.version]).toEqual([
    200,
    numbered(205),
    numbered(6),
  ]);
});

test('versions of a vacancy that a key does not reach are unknown to it, and so is a wrong version', async () => {
  const { id } = await app.addVacancy({ slug: 'of-others' });
  const elsewhere = bearer(await makeKey(app, { vacancyIds: [id] }));
  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${app.url}/api/v1/vacancies/${path}`, { headers });

  expect(await outcomeOf(await get('cook/versions', elsewhere))).toBe('404 vacancy_unknown');
  for (const wrong of ['0'.repeat(32), 'nothing']) {
    const outcome = await outcomeOf(await get(`cook/versions/${wrong}`, ADMIN));
    expect([wrong, outcome]).toEqual([wrong, '404 vacancy_version_unknown']);
  }
});

test('a check of a file shows the plan as candidates and reviewers read it, and stores nothing', async () => {
  const response = await fetch(`${app.url}/api/v1/vacancies/validate`, {
    method: 'POST',
    headers: { ...ADMIN, 'content-type': 'application/yaml' },
    body: stringify(file({ slug: 'unstored', minutes: 12, replyWithin: '3 business days' })),
  });

  expect(await response.json()).toMatchObject({
    ...{ slug: 'unstored', title: 'Cook', minutes: 12, replyWithinDays: 3, questions: 2 },
    greeting: { en: 'Hello.', ru: 'Здравствуйте.' },
    plan: [
      {
        ...{ id: 'last', kind: 'open', text: { en: 'What did you cook last?' }, rubric: 'A soup.' },
        criteria: [{ weight: 100, anchors: null }],
      },
      {
        ...{ id: 'early', kind: 'knockout', mustAsk: true, criteria: [] },
        text: { ru: 'Можете начать в четыре?' },
        facts: [{ name: 'early', fact: 'The candidate starts at four.' }],
      },
    ],
  });
  const { status } = await fetch(`${app.url}/api/v1/vacancies/unstored`, { headers: ADMIN });
  expect(status).toBe(404);
});

test('a vacancy tells how many interviews run, wait and are finished, to whoever may read interviews', async () => {
  const { slug, openToken } = await app.addVacancy({ slug: 'counted' });
  const begin = async () => {
    const candidate = await TestCandidate.begin({ url: app.url, vacancy: { openToken } });
    return candidate.conversationId;
  };
  const [, taken, asked, finished] = [await begin(), await begin(), await begin(), await begin()];
  await app.sql(`update conversation set owner = 'person' where id = $1`, [taken]);
  await app.sql(`update conversation set status = 'handed_over', owner = 'asked' where id = $1`, [
    asked,
  ]);
  await app.sql(`update conversation set status = 'completed' where id = $1`, [finished]);
  const listed = async (query: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${app.url}/api/v1/vacancies${query}`, { headers });
    const { items } = (await response.json()) as { items: { slug: string }[] };
    return items.find((one) => one.slug === slug);
  };
  const ofVacancies = bearer(await makeKey(app, { scopes: ['vacancies:read'] }));

  expect(await listed('?counts=interviews', ADMIN)).toMatchObject({
    interviews: { running: 1, waiting: 2, finished: 1 },
  });
  expect(await listed('', ADMIN)).not.toHaveProperty('interviews');
  expect(await listed('?counts=interviews', ofVacancies)).not.toHaveProperty('interviews');
});
