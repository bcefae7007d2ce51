import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { FakeClock } from '../../../tools/support/fake-clock';
import { rowsOf } from '../../support/outside';
import { AUTOMATION, EVENTS, NotionEvents, SECRET, signatureOf } from './notion-events';

const DAY_MS = 24 * 3_600_000;
const FIVE_MB = 5 * 1024 * 1024;

let setup: NotionEvents;
let clock: FakeClock;

beforeAll(async () => {
  clock = new FakeClock();
  setup = await NotionEvents.start({ clock });
});
afterAll(() => setup.close());
beforeEach(() => {
  clock.advance(DAY_MS);
  setup.app.log.clear();
});

/** The number of rows that requests have stored so far. */
async function kept(): Promise<number> {
  const rows = await setup.app.sql(
    `select 1 from notion_event union all select 1 from notion_read
     union all select 1 from job where queue = 'notion-sync' union all select 1 from notion_page`,
  );
  return rows.length;
}

async function refused(
  response: Response,
  expected: { status: number; code: string },
): Promise<Record<string, unknown>> {
  expect(response.status).toBe(expected.status);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject(expected);
  expect(JSON.stringify(problem)).not.toMatch(/Error|\.ts|select |stack/);
  return problem;
}

/** Expects that `work` counts one more `outcome` and stores nothing. */
async function counted(outcome: string, work: () => Promise<void>): Promise<void> {
  const before = [await setup.events(outcome), await kept()];
  await work();
  expect([await setup.events(outcome), await kept()]).toEqual([(before[0] ?? 0) + 1, before[1]]);
}

const event = (more: object = {}): object =>
  setup.event('page.properties_updated', randomUUID(), more);
const text = (body: object): string => JSON.stringify(body);

describe('POST /webhooks/notion', () => {
  test('an unsigned event gets 401, is counted, and is logged once', async () => {
    await counted('unsigned', async () => {
      await refused(await setup.post(EVENTS, text(event())), {
        status: 401,
        code: 'signature_missing',
      });
    });
    await setup.post(EVENTS, text(event()));

    expect(setup.app.log.count('is not signed and was refused')).toBe(1);
    clock.advance(11 * 60_000);
    await setup.post(EVENTS, text(event()));
    expect(setup.app.log.count('is not signed and was refused')).toBe(2);
  });

  const token = (): string => setup.notion.webhooks.token;
  test.each<[string, (body: string) => string]>([
    ['with another token', (body) => signatureOf(body, `${token()}x`)],
    ['with a token that is shorter', (body) => signatureOf(body, token().slice(0, -1))],
    ['for another body', (body) => signatureOf(`${body} `, token())],
    ['without the prefix', (body) => signatureOf(body, token()).slice('sha256='.length)],
    ['with half of the signature', (body) => signatureOf(body, token()).slice(0, 39)],
    ['with extra characters', (body) => `${signatureOf(body, token())}00`],
    ['with an empty signature', () => ''],
    ['with characters that are not hex', () => `sha256=${'x'.repeat(64)}`],
    ['with the token itself', () => token()],
  ])('an event that is signed %s gets 401 and is counted', async (_how, signature) => {
    const body = text(event());
    await counted('wrongly_signed', async () => {
      const headers = { 'x-notion-signature': signature(body) };
      await refused(await setup.post(EVENTS, body, headers), {
        status: 401,
        code: 'signature_wrong',
      });
    });
  });

  test('the signature covers the bytes as they arrived', async () => {
    const body = `  ${text(event())}\n`;
    expect((await setup.send(body)).status).toBe(200);

    const spaced = text(event()).replaceAll(',', ' ,');
    const headers = { 'x-notion-signature': signatureOf(spaced.replaceAll(' ', ''), token()) };
    expect((await setup.post(EVENTS, spaced, headers)).status).toBe(401);
  });

  test('a signature in capitals is valid', async () => {
    const body = text(event());
    const [kind, hex] = signatureOf(body, token()).split('=');
    const signature = `${kind ?? ''}=${hex?.toUpperCase() ?? ''}`;

    const response = await setup.post(EVENTS, body, { 'x-notion-signature': signature });
    expect(response.status).toBe(200);
  });

  test.each([
    ['text that is not JSON', 'event=1', 'malformed_json'],
    ['half of a JSON document', '{"id": "', 'malformed_json'],
    ['bytes that are not text', '\u0000\u0001\u0002', 'malformed_json'],
    ['null', 'null', 'malformed_request'],
    ['a list', '[{"id":"a","type":"page.created"}]', 'malformed_request'],
    ['an event without an id', '{"type":"page.created"}', 'malformed_request'],
    [
      'an event whose id is too long',
      `{"id":"${'x'.repeat(101)}","type":"a"}`,
      'malformed_request',
    ],
    ['an event without a type', '{"id":"a"}', 'malformed_request'],
  ])('%s, though signed, gets 400 and is counted', async (_what, body, code) => {
    await counted('malformed', async () => {
      await refused(await setup.send(body), { status: 400, code });
    });
  });

  test('an empty request gets 401', async () => {
    await refused(await setup.post(EVENTS, ''), { status: 401, code: 'signature_missing' });
  });

  test('a body of 5 MB gets 413 before it is read, signed or not', async () => {
    const before = await kept();
    expect(await statusOfLarge(EVENTS, FIVE_MB)).toBe(413);
    // Its secret is a header, and is checked before the size of the body.
    expect(await statusOfLarge(AUTOMATION, FIVE_MB)).toBe(401);
    const large = text(event({ padding: 'x'.repeat(300_000) }));
    await refused(await setup.send(large), { status: 413, code: 'body_too_large' });
    const bearable = text(event({ padding: 'x'.repeat(250_000) }));
    expect((await setup.send(bearable)).status).toBe(200);
    expect(await kept()).toBe(before + 2);
  });

  test('another kind of content gets 415', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await setup.post(EVENTS, 'id=1', headers)).status).toBe(415);
  });

  test.each(['page.content_updated', 'comment.created', 'brand.new', 'toString', 'x'.repeat(500)])(
    'an event of an ignored type gets 200 and is counted: %.30s',
    async (type) => {
      await counted('unknown_type', async () => {
        expect((await setup.send(event({ type }))).status).toBe(200);
      });
    },
  );

  test('each unknown type is logged once, without text from outside', async () => {
    for (let n = 0; n < 3; n += 1) await setup.send(event({ type: 'page.locked' }));
    await setup.send(event({ type: 'line\nbreak "and" more' }));

    expect(setup.app.log.count('the type "page.locked"')).toBe(1);
    expect(setup.app.log.count('a type that cannot be read')).toBe(1);
    expect(setup.app.log.count('break')).toBe(0);
  });

  test.each([
    ['of another data source', { data_source_id: randomUUID(), type: 'database' }],
    ['of no data source', { id: randomUUID(), type: 'page' }],
    ['of the workspace', { id: randomUUID(), type: 'workspace' }],
  ])('an event about a page %s gets 200 and is counted', async (_of, parent) => {
    await counted('other_data_source', async () => {
      expect((await setup.send(event({ data: { parent } }))).status).toBe(200);
    });
    expect(setup.app.log.count('shared with more than NOTION_DATA_SOURCE_ID')).toBeGreaterThan(0);
  });

  test.each([
    ['no entity', { entity: null }],
    ['an entity that is not an id', { entity: { id: "'; drop table job", type: 'page' } }],
    ['a number as entity', { entity: 7 }],
  ])('an event with %s gets 200 and is counted', async (_what, more) => {
    await counted('no_page', async () => {
      expect((await setup.send(event(more))).status).toBe(200);
    });
  });

  test.each([
    ['authors', { authors: 'everybody' }],
    ['timestamp', { timestamp: 'yesterday' }],
    ['data', { data: [] }],
    ['parent', { data: { parent: 'a page' } }],
  ])('an event is stored even if its %s cannot be read', async (_what, more) => {
    const before = await setup.events('stored');
    expect((await setup.send(event(more))).status).toBe(200);

    expect(await setup.events('stored')).toBe(before + 1);
  });

  test('an event is dropped when it is replayed, even after its id was deleted', async () => {
    const pageId = randomUUID();
    const old = setup.event('page.properties_updated', pageId);
    await setup.app.sql(`delete from notion_read`);
    await setup.send(old);
    expect(await setup.waiting()).toEqual([pageId]);
    await setup.app.sql(`delete from notion_read`);

    await counted('duplicate', async () => {
      expect((await setup.send(old)).status).toBe(200);
    });
    clock.advance(3 * DAY_MS);
    await setup.app.sql(`delete from notion_event`);
    await counted('stale', async () => {
      expect((await setup.send(old)).status).toBe(200);
    });
    expect(await setup.waiting()).toEqual([]);
  });
});

describe('POST /webhooks/notion/automation', () => {
  test.each([
    ['another secret', { 'x-colloquy-secret': `${SECRET.slice(0, -1)}X` }],
    ['a shorter secret', { 'x-colloquy-secret': SECRET.slice(0, -1) }],
    ['an empty secret', { 'x-colloquy-secret': '' }],
    ['no secret', {}],
  ])('a call with %s gets 401, is counted, and leaves nothing', async (_what, headers) => {
    await counted('wrong_secret', async () => {
      const body = text({ data: { object: 'page', id: randomUUID() } });
      await refused(await setup.post(AUTOMATION, body, headers), {
        status: 401,
        code: 'secret_unknown',
      });
    });
  });

  test.each([
    ['text that is not JSON', 'data=1', 'malformed_json'],
    ['null', 'null', 'malformed_request'],
    [
      'an object that is not a page',
      '{"data":{"object":"database","id":"x"}}',
      'malformed_request',
    ],
    ['a page without an id', '{"data":{"object":"page"}}', 'malformed_request'],
    ['a page with an invalid id', '{"data":{"object":"page","id":"x"}}', 'malformed_request'],
  ])('%s gets 400 and is counted', async (_what, body, code) => {
    await counted('malformed', async () => {
      await refused(await setup.call(body), { status: 400, code });
    });
  });

  test('without NOTION_AUTOMATION_SECRET it responds with 404', async () => {
    const other = await NotionEvents.start({ clock, env: { NOTION_AUTOMATION_SECRET: '' } });
    const response = await other.call('{}', '');
    await other.close();

    expect(response.status).toBe(404);
  });
});

test('neither secret is ever logged, whatever was sent', async () => {
  const body = text(event());
  await setup.post(EVENTS, body, { 'x-notion-signature': setup.notion.webhooks.token });
  await setup.post(EVENTS, text({ verification_token: 'secret_of_a_stranger' }));
  await setup.call('{"', `${SECRET}!`);

  const said = setup.app.log.lines.join('\n');
  for (const secret of [setup.notion.webhooks.token, SECRET, 'secret_of_a_stranger']) {
    expect(said).not.toContain(secret);
  }
  const rows = await rowsOf(setup.app.databaseUrl, `select token from notion_enrolment`);
  expect(rows).toEqual([{ token: null }]);
});

/** The client keeps sending while it gets the response; a browser does not do that. */
function statusOfLarge(path: string, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': length };
    const sent = request(`${setup.app.url}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.write('{"id":"');
  });
}
