import { pageOf } from '../../../tools/fake-notion/notion-stub';
import { inCommit } from '../../support/jobs';
import { NotionCalls, TIMEOUT_MS, TOKEN } from './notion-calls';
import { turnOfLoop } from '../../support/until';

let setup: NotionCalls;
beforeAll(async () => {
  setup = await NotionCalls.open();
});
beforeEach(() => setup.reset());
afterAll(() => setup.close());

/** What the health shows of Notion's API; the limiter's state has tests of its own. */
const notionState = () => setup.process.conditions.all().filter(({ peer }) => peer === 'notion');

const RANK = { 'Queue Rank': { number: 3 } };
const SECRET = 'Anna Petrova';

describe('a call', () => {
  test('sends the API version and the token, and its path starts with /v1', async () => {
    const { api, notion } = setup;
    const me = await setup.settled(api.whoAmI({}));

    expect(me).toEqual({ botId: 'bot-1', name: 'Colloquy' });
    const [request] = notion.requests;
    expect(request?.path).toBe('/v1/users/me');
    expect(request?.headers).toMatchObject({
      'notion-version': '2025-09-03',
      authorization: `Bearer ${TOKEN}`,
    });
  });

  test('queries a data source 100 pages at a time, starting at a cursor', async () => {
    const { api, notion } = setup;
    notion.results = [pageOf('p1'), { object: 'page', id: 'hidden' }];
    notion.nextCursor = 'c2';
    const filter = { property: 'Assignee', people: { contains: 'u1' } };
    const query = { dataSourceId: 'd1', filter, cursor: 'c1', propertyIds: ['abc'] };
    const found = await setup.settled(api.queryDataSource({}, query));

    expect(found).toEqual({ pages: [pageOf('p1')], nextCursor: 'c2', isComplete: true });
    expect(notion.requests[0]).toMatchObject({
      path: '/v1/data_sources/d1/query',
      body: { filter, page_size: 100, start_cursor: 'c1', result_type: 'page' },
    });
    expect(notion.requests[0]?.query.getAll('filter_properties')).toEqual(['abc']);
  });

  test('writes, creates, removes and reads pages, and reads a schema', async () => {
    const { api, notion } = setup;
    await setup.settled(api.updatePage({}, { pageId: 'p1', properties: RANK }));
    await setup.settled(api.updatePage({}, { pageId: 'p1', inTrash: true }));
    await setup.settled(api.createPage({}, { dataSourceId: 'd1', properties: RANK }));
    await setup.settled(api.retrievePage({}, 'p1'));
    await setup.settled(api.retrieveDataSource({}, 'd1'));

    expect(notion.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PATCH', '/v1/pages/p1', { properties: RANK }],
      ['PATCH', '/v1/pages/p1', { in_trash: true }],
      [
        'POST',
        '/v1/pages',
        { parent: { type: 'data_source_id', data_source_id: 'd1' }, properties: RANK },
      ],
      ['GET', '/v1/pages/p1', null],
      ['GET', '/v1/data_sources/d1', null],
    ]);
  });

  test('waits for its own permit, so that Notion refuses none of many parallel calls', async () => {
    const { api, notion } = setup;
    notion.perSecond = 3;
    await setup.allSettled(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => api.retrievePage({}, id)),
    );

    expect(notion.requests).toHaveLength(8);
    expect(await setup.samples('colloquy_notion_rate_limited_total')).toEqual([]);
  });

  test('is not made inside a commit', async () => {
    const { api, notion } = setup;

    await expect(inCommit(setup.units, () => api.whoAmI({}))).rejects.toMatchObject({
      code: 'remote_call_in_commit',
    });
    expect(notion.requests).toEqual([]);
  });
});

describe('a pause that Notion asks for', () => {
  test('is obeyed by all replicas, and the rate is lower after it', async () => {
    const { api, notion } = setup;
    const data = { rate_limit_reason: 'workspace_rate_limit' };
    const headers = { 'retry-after': '70' };
    notion.next({ kind: 'error', status: 429, code: 'rate_limited', data, headers });
    const error = await failureOf(api.retrievePage({}, 'p1'));

    expect(error).toMatchObject({
      code: 'notion_paused',
      retryAfterMs: 70_000,
      mayHaveArrived: false,
      fields: { pageId: 'p1', reason: 'workspace_rate_limit', requestId: 'request-1' },
    });
    expect(await pausedForMs()).toBeGreaterThan(69_000);
    expect(await setup.samples('colloquy_notion_rate_limited_total')).toEqual([
      'colloquy_notion_rate_limited_total{reason="workspace_rate_limit"} 1',
    ]);
    const [row] = await setup.sql<{ rate: number }>('select rate from notion_limiter');
    expect(row?.rate).toBe(0.5);
    await expect(failureOf(api.retrievePage({}, 'p2'))).resolves.toMatchObject({
      code: 'notion_paused',
    });
    expect(notion.requests).toHaveLength(1);
  });

  test.each([
    ['529 without a Retry-After', { status: 529, code: 'service_overload' }, 1000, 0.5],
    ['503 with a Retry-After', { status: 503, code: 'service_unavailable', after: '4' }, 4000, 1],
    ['429 with a date', { status: 429, code: 'rate_limited', after: 'date' }, 30_000, 0.5],
    ['429 from a proxy', { status: 429, code: '', after: '2' }, 2000, 0.5],
    [
      '429 with an invalid Retry-After',
      { status: 429, code: 'rate_limited', after: 'soon' },
      1000,
      0.5,
    ],
    [
      '429 with a negative Retry-After',
      { status: 429, code: 'rate_limited', after: '-5' },
      1000,
      0.5,
    ],
    [
      '429 with a very long Retry-After',
      { status: 429, code: 'rate_limited', after: '9999999' },
      3_600_000,
      0.5,
    ],
  ])('is understood: %s', async (_, { status, code, ...of }, pauseMs, rate) => {
    const { api, notion } = setup;
    const now = setup.clock.now();
    const later = new Date(now.getTime() + 30_000).toUTCString();
    const after = 'after' in of ? (of.after === 'date' ? later : of.after) : null;
    const headers = after === null ? {} : { 'retry-after': after, date: now.toUTCString() };
    notion.next(
      code === ''
        ? { kind: 'body', status, body: '<html>', headers }
        : { kind: 'error', status, code, headers },
    );
    const error = await failureOf(api.retrievePage({}, 'p1'));

    expect(error).toMatchObject({ code: 'notion_paused' });
    const { retryAfterMs } = error as { retryAfterMs: number };
    expect(Math.abs(retryAfterMs - pauseMs)).toBeLessThan(1000);
    const [row] = await setup.dataSource.query<{ rate: number }[]>(
      'select rate from notion_limiter',
    );
    expect(row?.rate).toBe(rate);
  });
});

describe('a failure', () => {
  test.each([
    [401, 'unauthorized', 'notion_unauthorized', true],
    [403, 'restricted_resource', 'notion_refused', false],
    [404, 'object_not_found', 'notion_not_found', false],
    [409, 'conflict_error', 'notion_conflict', true],
    [400, 'validation_error', 'notion_refused', false],
    [400, 'newer_than_the_client', 'notion_refused', false],
    [500, 'internal_server_error', 'notion_unavailable', true],
    [504, 'gateway_timeout', 'notion_unavailable', true],
  ])('with status %i %s is %s', async (status, notionCode, code, retryable) => {
    setup.notion.next({ kind: 'error', status, code: notionCode });
    const error = await failureOf(setup.api.retrievePage({}, 'p1'));

    expect(error).toMatchObject({ code, retryable, fields: { pageId: 'p1', status, notionCode } });
  });

  test('names the page and the property, and quotes nothing that was sent', async () => {
    const { api, notion } = setup;
    const message = `Queue Rank at body.properties is expected to be rich_text, not ${SECRET}`;
    notion.next({ kind: 'error', status: 400, code: 'validation_error', message });
    const properties = { Queue: { number: 1 }, ...RANK };
    const error = await failureOf(api.updatePage({}, { pageId: 'p1', properties }));

    expect(error).toMatchObject({ fields: { pageId: 'p1', property: 'Queue Rank' } });
    expect(String(error)).toContain('because of the property Queue Rank');
    const { message: said, stack, ...rest } = error as Error;
    expect([said, stack, JSON.stringify(rest), ...setup.log.lines].join()).not.toMatch(
      new RegExp(`${SECRET}|${TOKEN}`),
    );
  });

  test('caused by a filter names the property of the filter', async () => {
    const { api, notion } = setup;
    const message = 'Could not find property with name or id: Assignee';
    notion.next({ kind: 'error', status: 400, code: 'validation_error', message });
    const filter = { and: [{ property: 'Assignee', people: { contains: 'u1' } }] };
    const error = await failureOf(api.queryDataSource({}, { dataSourceId: 'd1', filter }));

    expect(error).toMatchObject({ fields: { dataSourceId: 'd1', property: 'Assignee' } });
  });

  test.each([
    ['a proxy that forbids', { kind: 'body', status: 403, body: '<html>no</html>' }],
    ['a response that is not JSON', { kind: 'body', status: 200, body: `<p>${SECRET}</p>` }],
    ['a connection that breaks', { kind: 'cut' }],
    ['a redirect', { kind: 'body', status: 307, body: '', headers: { location: 'http://a.b' } }],
  ] as const)('means that Notion is unavailable: %s', async (_, reply) => {
    setup.notion.next(reply);
    const error = await failureOf(setup.api.retrievePage({}, 'p1'));

    expect(error).toMatchObject({ code: 'notion_unavailable', mayHaveArrived: true });
    expect([String(error), ...setup.log.lines].join()).not.toContain(SECRET);
    expect(notionState()).toEqual([
      { peer: 'notion', trouble: expect.stringMatching(/^Notion /) as string },
    ]);
    await setup.settled(setup.api.whoAmI({}));
    expect(notionState()).toEqual([{ peer: 'notion', trouble: null }]);
  });

  test.each(['silent', 'half'] as const)(
    'is reported when a response stays %s for 5 s',
    async (kind) => {
      const { api, notion } = setup;
      notion.next({ kind });
      const failed = jest.fn();
      const failure = failureOf(api.retrievePage({}, 'p1')).then((error) => {
        failed();
        return error;
      });
      await notion.request(1);
      setup.clock.advance(TIMEOUT_MS - 1);
      await turnOfLoop();
      expect(failed).not.toHaveBeenCalled();
      setup.clock.advance(1);

      expect(await failure).toMatchObject({ code: 'notion_unavailable', mayHaveArrived: true });
    },
  );

  test('is not reported for an abort: the call throws the reason of the signal', async () => {
    const { api, notion } = setup;
    notion.next({ kind: 'silent' });
    const over = new AbortController();
    const reason = new Error('the lease was lost');
    const failure = failureOf(api.retrievePage({ signal: over.signal }, 'p1'));
    await notion.request(1);
    over.abort(reason);

    expect(await failure).toBe(reason);
  });

  test('is reported for a page that the integration may not read', async () => {
    setup.notion.next({ kind: 'body', status: 200, body: '{"object":"page","id":"p1"}' });

    expect(await failureOf(setup.api.retrievePage({}, 'p1'))).toMatchObject({
      code: 'notion_refused',
      fields: { pageId: 'p1' },
    });
  });

  test('is reported for an id that would change the path of the request', async () => {
    expect(await failureOf(setup.api.retrievePage({}, '../users/me'))).toMatchObject({
      code: 'notion_refused',
    });
    expect(setup.notion.requests).toEqual([]);
  });
});

async function pausedForMs(): Promise<number> {
  const { ms } = await setup.one<{ ms: number }>(
    `select coalesce(extract(epoch from paused_until - $1)::float8 * 1000, 0) as ms
     from notion_limiter`,
    [setup.clock.databaseNow()],
  );
  return ms;
}

/** The error that `work` ends with. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return setup.settled(work).then(
    () => {
      throw new Error('the call succeeded; a failure was expected');
    },
    (error: unknown) => error,
  );
}
