import { stringify } from 'yaml';
import { type TestApp, startTestApp } from '../support/app';
import { bearer } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const MB = 1024 * 1024;

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
  readonly title: string;
  readonly problems?: readonly { pointer: string; line: number; reason: string }[];
}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ isWorking: false, env: { ADMIN_TOKEN } });
});

afterAll(() => app.close());

async function send(
  call: string,
  body: string | ReadableStream<Uint8Array>,
  type: string,
): Promise<Response> {
  const [method = '', place = ''] = call.split(' ');
  const headers = {
    ...bearer({ token: ADMIN_TOKEN }),
    'content-type': type,
    ...(method === 'PUT' ? { 'if-match': '*' } : {}),
  };
  const streamed = typeof body === 'string' ? {} : { duplex: 'half' as const };
  return fetch(`${app.url}/api/v1${place}`, { method, headers, body, ...streamed });
}

/** The status and the code of a refusal, which says so in a sentence. */
async function refusalOf(response: Response): Promise<string> {
  const { code, title } = (await response.json()) as Refusal;
  expect(title).toMatch(/^[A-Z].+\.$/);
  return `${String(response.status)} ${code}`;
}

/** Everything that these requests could have stored. */
async function stored(): Promise<unknown> {
  const tables = ['vacancy', 'candidate', 'invitation', 'invitation_import', 'audit_event'];
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const files = `(select string_agg(title || plan::text, '|' order by slug) from vacancy) as files`;
  return app.one(`select ${counts.join(', ')}, ${files}`);
}

/** As a client sends it that does not say how much will come. */
function inPieces(text: string): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += MB) controller.enqueue(bytes.subarray(at, at + MB));
      controller.close();
    },
  });
}

describe('10 MB', () => {
  const text = 'a'.repeat(10 * MB);
  const BODIES = [
    ['JSON', JSON_TYPE, JSON.stringify(file({ title: text }))],
    ['YAML', YAML_TYPE, stringify(file({ title: text }), { lineWidth: 0 })],
  ] as const;
  const CALLS = ['POST /vacancies', 'POST /vacancies/validate', 'PUT /vacancies/baker/file'];
  const OF_VACANCIES = BODIES.flatMap(([name, type, body]) =>
    CALLS.map((call) => [name, call, type, body] as const),
  );
  const imports = 'POST /vacancies/baker/invitation-imports';

  test.each<readonly [name: string, call: string, type: string, body: string]>([
    ...OF_VACANCIES,
    ['CSV', imports, 'text/csv', `name\n${text}\n`],
    ['JSON', imports, JSON_TYPE, JSON.stringify([{ name: text }])],
  ])('of %s are refused in a sentence by %s, announced or not', async (_, call, type, body) => {
    const before = await stored();

    expect(await refusalOf(await send(call, body, type))).toBe('413 body_too_large');
    expect(await refusalOf(await send(call, inPieces(body), type))).toBe('413 body_too_large');
    expect(await stored()).toEqual(before);
  });

  test('of JSON are refused in a sentence by a route that takes no files', async () => {
    const call = 'POST /vacancies/baker/invitations';
    const before = await stored();

    const response = await send(call, JSON.stringify({ name: text }), JSON_TYPE);

    expect(await refusalOf(response)).toBe('413 body_too_large');
    expect(await stored()).toEqual(before);
  });
});

describe('JSON and YAML', () => {
  test('that disagree with the schema are both refused with all their mistakes, when they come together', async () => {
    const wrong = file({ title: '', unknown: 1 });
    const before = await stored();

    const responses = await Promise.all([
      send('POST /vacancies', JSON.stringify(wrong, null, 2), JSON_TYPE),
      send('POST /vacancies', stringify(wrong), YAML_TYPE),
    ]);

    for (const response of responses) {
      const { code, problems = [] } = (await response.json()) as Refusal;
      expect([response.status, code]).toEqual([422, 'vacancy_file_invalid']);
      expect(problems.map(({ pointer }) => pointer).sort()).toEqual(['/title', '/unknown']);
      for (const { reason } of problems) expect(reason).not.toBe('');
    }
    expect(await stored()).toEqual(before);
  });

  test('of one slug that come together create one vacancy', async () => {
    const responses = await Promise.all([
      send('POST /vacancies', JSON.stringify(file({ slug: 'one' })), JSON_TYPE),
      send('POST /vacancies', stringify(file({ slug: 'one' })), YAML_TYPE),
    ]);

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await app.one(`select count(*)::int from vacancy where slug = 'one'`)).toEqual({
      count: 1,
    });
  });

  const both = `${JSON.stringify(file({ slug: 'both' }))}\nslug: both\n`;
  test.each([
    ['JSON', JSON_TYPE, both, '400 malformed_json'],
    ['YAML', YAML_TYPE, both, '422 vacancy_file_invalid'],
    [
      'YAML',
      YAML_TYPE,
      `${stringify(file({ slug: 'both' }))}---\n${stringify(file({ slug: 'both' }))}`,
      '422 vacancy_file_invalid',
    ],
  ])('in one body that is called %s are refused', async (_, type, body, refusal) => {
    const before = await stored();

    expect(await refusalOf(await send('POST /vacancies', body, type))).toBe(refusal);
    expect(await stored()).toEqual(before);
  });
});

test('of two requests with one externalId that come together one invites', async () => {
  const call = 'POST /vacancies/baker/invitations';
  const count = `select count(*)::int from candidate where name like 'Same %'`;

  const responses = await Promise.all(
    ['Same 1', 'Same 2'].map((name) =>
      send(call, JSON.stringify({ name, externalId: 'crm-same' }), JSON_TYPE),
    ),
  );

  const refused = responses.filter(({ status }) => status !== 201);
  expect(await Promise.all(refused.map(refusalOf))).toEqual(['409 external_id_taken']);
  expect(await app.one(count)).toEqual({ count: 1 });
});
