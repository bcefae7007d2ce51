import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

const ADMIN = { token: ADMIN_TOKEN };
const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const EXAMPLE = path.join(__dirname, '../../examples/support-lead.ru.yaml');

/** The file of a small vacancy; `changes` replace whole fields. */
function file(changes: object = {}): object {
  return {
    slug: 'cook',
    language: 'en',
    title: 'Cook',
    company: 'Crumb',
    owner: { name: 'Ada' },
    greeting: 'Hello.',
    closing: 'Thank you.',
    questions: [{ id: 'last', text: 'What did you cook last?', rubric: 'A soup.' }],
    ...changes,
  };
}

interface Refusal {
  readonly code: string;
  readonly problems?: readonly { pointer: string; line: number; reason: string }[];
}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ env: { ADMIN_TOKEN } });
});

afterAll(() => app.close());

function send(
  method: 'POST' | 'PUT',
  place: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${app.url}/api/v1/vacancies${place}`, {
    method,
    headers: { ...bearer(ADMIN), 'content-type': JSON_TYPE, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body, null, 2),
  });
}

function get(place: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${app.url}/api/v1/vacancies${place}`, {
    headers: { ...bearer(ADMIN), ...headers },
  });
}

function asYaml(changes: object = {}): string {
  return stringify(file(changes));
}

test('a vacancy is created from JSON, shown, listed, closed and opened again', async () => {
  const created = await send('POST', '', file());
  const shown = await created.json();

  expect(created.status).toBe(201);
  expect(shown).toMatchObject({ slug: 'cook', title: 'Cook', questions: 1, state: 'open' });
  expect(await (await get('/cook')).json()).toEqual(shown);
  const { items } = (await (await get('')).json()) as { items: unknown[] };
  expect(items).toContainEqual(shown);
  const closed = (await (await send('POST', '/cook/close', {})).json()) as { state: string };
  const opened = (await (await send('POST', '/cook/reopen', {})).json()) as { state: string };
  expect([closed.state, opened.state]).toEqual(['closed', 'open']);
  expect(await outcomeOf(await send('POST', '', file()))).toBe('409 vacancy_exists');
});

test('JSON and YAML of one vacancy are the same file, with the same version', async () => {
  await send('POST', '', asYaml({ slug: 'yaml-cook' }), { 'content-type': YAML_TYPE });

  const json = await get('/yaml-cook/file');
  const yaml = await get('/yaml-cook/file', { accept: YAML_TYPE });

  expect(yaml.headers.get('content-type')).toMatch(/^application\/yaml/);
  expect(yaml.headers.get('etag')).toBe(json.headers.get('etag'));
  const text = await yaml.text();
  expect(text).toContain('What did you cook last?');
  expect(await json.json()).toMatchObject({ slug: 'yaml-cook', owner: { name: 'Ada' } });
  const etag = json.headers.get('etag') ?? '';
  const same = await send('PUT', '/yaml-cook/file', text, {
    'content-type': YAML_TYPE,
    'if-match': etag,
  });
  expect([same.status, same.headers.get('etag')]).toEqual([200, etag]);
});

test('an example file with every key comes back as it was sent', async () => {
  const source = (await readFile(EXAMPLE, 'utf8'))
    .replace(/^logo:.*\n/m, '')
    .replace(/^knowledge:\n(?:\s+- .*\n)*/m, '');
  const sent = await send('POST', '', source, { 'content-type': YAML_TYPE });
  expect(sent.status).toBe(201);
  const { slug } = (await sent.json()) as { slug: string };
  const read = await get(`/${slug}/file`);
  const body = await read.text();

  const again = await send('PUT', `/${slug}/file`, body, {
    'if-match': read.headers.get('etag') ?? '',
  });

  expect([again.status, again.headers.get('etag')]).toEqual([200, read.headers.get('etag')]);
});

test('the second of two editors gets 412, and the words of the first stay', async () => {
  await send('POST', '', file({ slug: 'edited' }));
  const etag = (await get('/edited/file')).headers.get('etag') ?? '';
  const replace = (title: string, headers: Record<string, string>) =>
    send('PUT', '/edited/file', file({ slug: 'edited', title }), headers);

  const first = await replace('First', { 'if-match': etag });
  const second = await replace('Second', { 'if-match': etag });

  expect(first.status).toBe(200);
  expect(await outcomeOf(second)).toBe('412 version_differs');
  expect(await outcomeOf(await replace('Third', {}))).toBe('428 if_match_missing');
  expect(await (await get('/edited')).json()).toMatchObject({ title: 'First' });
  const etags = [etag, '"another"', first.headers.get('etag') ?? ''].join(', ');
  expect((await replace('Fourth', { 'if-match': etags })).status).toBe(200);
  expect((await replace('Fifth', { 'if-match': '*' })).status).toBe(200);
});

test('a running interview keeps the plan with which it began', async () => {
  await send('POST', '', file({ slug: 'running' }));
  const { openLink } = (await (await get('/running')).json()) as { openLink: string };
  const candidate = await TestCandidate.arrive(app, openLink.split('/').at(-1));
  const other = [{ id: 'other', text: 'Why soup?', rubric: 'A reason.' }];

  await send('PUT', '/running/file', file({ slug: 'running', questions: other }), {
    'if-match': '*',
  });

  const { plan } = await app.one<{ plan: { questions: { id: string }[] } }>(
    'select plan from conversation where id = $1',
    [candidate.conversationId],
  );
  expect(plan.questions.map(({ id }) => id)).toEqual(['last']);
});

const WRONG = { title: '', unknown: 1, questions: [{ id: 'last', text: '', rubric: 'A soup.' }] };

test.each([
  ['POST', '', JSON_TYPE],
  ['POST', '', YAML_TYPE],
  ['POST', '/validate', JSON_TYPE],
  ['PUT', '/baker/file', YAML_TYPE],
] as const)('%s %s of %s names all mistakes with pointer and line', async (method, place, type) => {
  const body = type === JSON_TYPE ? JSON.stringify(file(WRONG), null, 2) : asYaml(WRONG);

  const response = await send(method, place, body, { 'content-type': type, 'if-match': '*' });

  expect(response.status).toBe(422);
  const { code, problems = [] } = (await response.json()) as Refusal;
  expect(code).toBe('vacancy_file_invalid');
  expect(problems.map(({ pointer }) => pointer).sort()).toEqual([
    '/questions/0/text',
    '/title',
    '/unknown',
  ]);
  const lines = body.split('\n');
  for (const { pointer, line } of problems) {
    expect(lines[line - 1]).toContain(pointer.split('/').at(-1));
  }
  expect(await (await get('/baker')).json()).toMatchObject({ title: 'Baker' });
});

test.each<[string, string, string, string]>([
  ['YAML that is called JSON', JSON_TYPE, 'slug: cook', '400 malformed_json'],
  ['JSON with a key twice', JSON_TYPE, '{"slug": "a", "slug": "b"}', '422 vacancy_file_invalid'],
  ['JSON that is a list', JSON_TYPE, '[]', '422 vacancy_file_invalid'],
  ['nothing', YAML_TYPE, '', '422 vacancy_file_invalid'],
  ['an anchor that multiplies', YAML_TYPE, bomb(), '422 vacancy_file_invalid'],
  ['300 kB of YAML', YAML_TYPE, 'a'.repeat(300_000), '413 body_too_large'],
  ['300 kB of JSON', JSON_TYPE, `"${'a'.repeat(300_000)}"`, '413 body_too_large'],
  ['CSV', 'text/csv', 'slug;title', '415 unsupported_media_type'],
  [
    'a document that is not there',
    YAML_TYPE,
    asYaml({ slug: 'x', knowledge: ['a.md'] }),
    '422 vacancy_file_invalid',
  ],
  [
    'a logo that is not there',
    YAML_TYPE,
    asYaml({ slug: 'x', logo: 'a.png' }),
    '422 vacancy_file_invalid',
  ],
])('%s is refused, and nothing is stored', async (_, type, body, refusal) => {
  const count = async () => ((await (await get('')).json()) as { items: unknown[] }).items.length;
  const before = await count();

  expect(await outcomeOf(await send('POST', '', body, { 'content-type': type }))).toBe(refusal);
  expect(await count()).toBe(before);
});

test.each(['text/csv', 'text/plain'])('a refusal of %s says what is taken', async (type) => {
  const titleOf = async (response: Response): Promise<unknown> =>
    ((await response.json()) as { title: string }).title;

  const vacancy = await send('POST', '', 'slug: a', { 'content-type': type });
  const other = await fetch(`${app.url}/api/v1/sessions`, {
    method: 'POST',
    body: 'a',
    headers: { 'content-type': type },
  });

  expect(await titleOf(vacancy)).toBe(
    'Send one of: application/json, application/yaml, application/x-yaml, text/yaml, text/x-yaml.',
  );
  expect(await titleOf(other)).toBe('Send JSON.');
});

test('a file with tabs and escapes is read as JSON and not as YAML', async () => {
  const body = `{\n\t"slug": "tabs",\n${JSON.stringify(file({ slug: 'tabs', title: 'T' }))
    .slice(1)
    .replace('"slug":"tabs",', '')
    .replace('"T"', String.raw`"\u0041\/\ud83d\ude00"`)}`;

  const response = await send('POST', '', body);

  expect([response.status, ((await response.json()) as { title: string }).title]).toEqual([
    201,
    'A/😀',
  ]);
});

describe('what a file names', () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  const upload = (method: 'PUT' | 'DELETE', place: string, type = '', body = '') =>
    fetch(`${app.url}/api/v1/vacancies${place}`, {
      method,
      headers: { ...bearer(ADMIN), ...(type === '' ? {} : { 'content-type': type }) },
      ...(type === '' ? {} : { body }),
    });

  test('is uploaded, and stays when the file is replaced', async () => {
    await send('POST', '', file({ slug: 'whole' }));
    const document = '/whole/documents/team%2Fstack.en.md';

    const stored = await upload('PUT', document, 'text/markdown', '# Stack\n\nWe use ovens.');
    const logo = await upload('PUT', '/whole/logo', 'image/svg+xml', SVG);

    expect([stored.status, logo.status]).toEqual([200, 200]);
    expect(await stored.json()).toEqual({ items: [{ name: 'team/stack.en.md', passages: 1 }] });
    const read = await get('/whole/file');
    const body = (await read.json()) as object;
    expect(body).toMatchObject({ logo: 'logo.svg', knowledge: ['team/stack.en.md'] });
    const etag = read.headers.get('etag') ?? '';
    const kept = await send('PUT', '/whole/file', body, { 'if-match': etag });
    expect([kept.status, kept.headers.get('etag')]).toEqual([200, etag]);
    const picture = await app.one<{ content: Buffer }>('select content from vacancy_logo');
    expect(picture.content.toString()).toBe(SVG);
    await upload('DELETE', '/whole/logo');
    expect((await upload('DELETE', document)).status).toBe(200);
    expect(await (await get('/whole/documents')).json()).toEqual({ items: [] });
    const refused = await send('PUT', '/whole/file', body, { 'if-match': '*' });
    const { problems = [] } = (await refused.json()) as Refusal;
    expect(problems.map(({ pointer }) => pointer)).toEqual(['/knowledge/0', '/logo']);
  });

  test.each<[string, string, string, string, string]>([
    ['a name without an ending', 'documents/stack', 'text/markdown', 'x', '422 document_refused'],
    ['a name that leads out', 'documents/..%2Fa.md', 'text/markdown', 'x', '422 document_refused'],
    ['an empty document', 'documents/a.md', 'text/markdown', '', '422 document_file_invalid'],
    [
      'a document that is HTML by its type',
      'documents/a.md',
      'text/html',
      'x',
      '415 unsupported_media_type',
    ],
    ['a logo that is text', 'logo', 'image/png', 'hello', '422 logo_refused'],
    ['a logo of another type', 'logo', 'image/gif', 'GIF89a', '415 unsupported_media_type'],
  ])('%s is refused', async (_, place, type, body, refusal) => {
    expect(await outcomeOf(await upload('PUT', `/baker/${place}`, type, body))).toBe(refusal);
  });
});

test('another slug in the file is refused, because it would be another vacancy', async () => {
  const response = await send('PUT', '/baker/file', file({ slug: 'other' }), { 'if-match': '*' });

  expect(await outcomeOf(response)).toBe('422 slug_differs');
});

test('a key that is limited to vacancies reads and replaces those, and creates none', async () => {
  const { id } = await app.addVacancy({ slug: 'limited' });
  const key = bearer(await makeKey(app, { vacancyIds: [id] }));

  const { items } = (await (await get('', key)).json()) as { items: { slug: string }[] };

  expect(items.map(({ slug }) => slug)).toEqual(['limited']);
  expect(await outcomeOf(await get('/baker', key))).toBe('404 vacancy_unknown');
  expect(await outcomeOf(await get('/baker/file', key))).toBe('404 vacancy_unknown');
  const created = await send('POST', '', file({ slug: 'more' }), key);
  expect(await outcomeOf(created)).toBe('403 beyond_key');
  const replaced = file({ slug: 'limited' });
  const outcome = await send('PUT', '/limited/file', replaced, { ...key, 'if-match': '*' });
  expect(outcome.status).toBe(200);
});

/** A few lines that would be a million values. */
function bomb(): string {
  const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe'].map((two) => Array.from(two))) {
    levels.push(
      `${String(name)}: &${String(name)} [${Array(10)
        .fill(`*${String(of)}`)
        .join(', ')}]`,
    );
  }
  return levels.join('\n');
}
