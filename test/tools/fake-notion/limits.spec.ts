import { Client } from '@notionhq/client';
import { FakeClock } from '../../../tools/support/fake-clock';
import { NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf } from './notion-calls';

describe('the limits of a connection', () => {
  let notion: NotionServer;
  let clock: FakeClock;
  let client: Client;

  beforeEach(async () => {
    clock = new FakeClock();
    notion = await NotionServer.start({ clock });
    client = clientOf(notion);
  });
  afterEach(() => notion.close());

  const me = (): Promise<unknown> => client.users.me({});

  test('three calls in any rolling second, the fourth is 429', async () => {
    await me();
    clock.advance(900);
    await me();
    await me();

    expect(await refusalOf(me())).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryAfterS: 1,
      reason: 'connection',
    });
    clock.advance(100);
    await me();
    expect((await refusalOf(me())).status).toBe(429);
    clock.advance(900);
    await Promise.all([me(), me()]);
    expect(notion.journal.refused(429)).toHaveLength(2);
    expect(notion.journal.mostWithin(1000)).toBe(5);
  });

  test('a budget of 60 s may be spent at once; Retry-After is the time until the window ends', async () => {
    notion.limits.allowed = { perSecond: null, perWindow: 180 };
    await me();
    clock.advance(20_500);
    for (let n = 0; n < 179; n += 1) await me();

    expect(await refusalOf(me())).toMatchObject({ status: 429, retryAfterS: 40 });
    clock.advance(39_499);
    expect((await refusalOf(me())).retryAfterS).toBe(1);
    clock.advance(1);
    await me();
  });

  test("the workspace's limit stops every call, for longer than a minute", async () => {
    notion.limits.pauseFor(150);

    expect(await refusalOf(me())).toMatchObject({ retryAfterS: 150, reason: 'workspace' });
    clock.advance(149_000);
    expect((await refusalOf(me())).retryAfterS).toBe(1);
    clock.advance(1_000);
    await me();
  });

  test('an overload is 529 with its Retry-After', async () => {
    notion.limits.overloadFor(5);

    expect(await refusalOf(me())).toMatchObject({
      status: 529,
      code: 'service_overload',
      retryAfterS: 5,
    });
    clock.advance(5_000);
    await me();
  });

  test('a call is counted when it starts, however long it takes', async () => {
    notion.latencyMs = 5_000;
    const slow = [me(), me(), me()];
    await notion.until('three calls wait', () => notion.faults.waiting === 3);

    expect((await refusalOf(me())).status).toBe(429);
    clock.advance(5_000);
    await Promise.all(slow);
  });

  test('each retry of the SDK counts', async () => {
    notion.faults.on('getSelf', { kind: 'status', status: 529, retryAfterS: 0 }, { times: 2 });
    const retrying = new Client({
      auth: notion.token,
      baseUrl: notion.url,
      retry: { maxRetries: 2, initialRetryDelayMs: 1, maxRetryDelayMs: 1 },
      logger: () => undefined,
    });

    await retrying.users.me({});
    expect(notion.journal.calls('getSelf')).toHaveLength(3);
    expect((await refusalOf(me())).status).toBe(429);
  });
});
