import { NotionCalls } from './notion-calls';

let setup: NotionCalls;
beforeAll(async () => {
  setup = await NotionCalls.open();
});
beforeEach(() => setup.reset());
afterAll(() => setup.close());

const AWAY = { kind: 'error', status: 503, code: 'service_unavailable' } as const;
const LIMITED = { kind: 'error', status: 429, code: 'rate_limited' } as const;

/** The times at which a call was made, and how it ended. */
async function tried(options: { isRepeatable?: boolean } = {}): Promise<{
  readonly gaps: number[];
  readonly end: unknown;
}> {
  const { api, retries } = setup;
  const times: number[] = [];
  const call = async (): Promise<string> => {
    times.push(setup.clock.monotonicMs());
    const { botId } = await api.whoAmI({});
    return botId;
  };
  const end = await setup
    .settled(retries.withRetries(call, options))
    .catch((error: unknown) => error);
  return { gaps: times.slice(1).map((at, index) => at - (times[index] ?? 0)), end };
}

test('a call that fails temporarily is retried after 250 ms, 1 s and 2 s, each time with a permit', async () => {
  setup.notion.next(AWAY, AWAY, AWAY);
  const { gaps, end } = await tried();

  expect(end).toBe('bot-1');
  expect(gaps).toHaveLength(3);
  for (const [index, leastMs] of [250, 1000, 2000].entries()) {
    expect(gaps[index]).toBeGreaterThanOrEqual(leastMs);
  }
  const [row] = await setup.sql<{ grants: number }>(
    'select cardinality(grants) as grants from notion_limiter',
  );
  expect(row?.grants).toBeGreaterThanOrEqual(4);
});

test('the last failure is thrown when no retry is left', async () => {
  setup.notion.next(AWAY, AWAY, AWAY, AWAY);
  const { end } = await tried();

  expect(end).toMatchObject({ code: 'notion_unavailable' });
  expect(setup.notion.requests).toHaveLength(4);
});

test('a call that got a 429 is retried once the pause is over', async () => {
  setup.notion.next({ ...LIMITED, headers: { 'retry-after': '3' } });
  const startedMs = setup.clock.monotonicMs();
  const { end } = await tried();

  expect(end).toBe('bot-1');
  expect(setup.clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(3000);
});

test.each([
  ['a pause too long to wait for', { ...LIMITED, headers: { 'retry-after': '60' } }],
  ['a refusal', { kind: 'error', status: 400, code: 'validation_error' } as const],
  ['a page that is gone', { kind: 'error', status: 404, code: 'object_not_found' } as const],
  ['an unknown token', { kind: 'error', status: 401, code: 'unauthorized' } as const],
])('%s is not retried', async (_, reply) => {
  setup.notion.next(reply);
  await tried();

  expect(setup.notion.requests).toHaveLength(1);
});

test('a call that must not be repeated is retried only if it cannot have arrived', async () => {
  setup.notion.next(LIMITED, AWAY);
  const { end } = await tried({ isRepeatable: false });

  expect(end).toMatchObject({ code: 'notion_unavailable', mayHaveArrived: true });
  expect(setup.notion.requests).toHaveLength(2);
});
