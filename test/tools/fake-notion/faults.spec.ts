import { FakeClock } from '../../../tools/support/fake-clock';
import { type NotionPage, NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf, send } from './notion-calls';

describe('what can go wrong with a call', () => {
  let notion: NotionServer;
  let clock: FakeClock;
  let task: NotionPage;

  beforeEach(async () => {
    clock = new FakeClock();
    notion = await NotionServer.start({ clock });
    notion.limits.lift();
    task = notion.workspace.board().task({ Name: 'One' });
  });
  afterEach(() => notion.close());

  const write = (rank = 1): Promise<unknown> =>
    clientOf(notion).pages.update({
      page_id: task.id,
      properties: { 'Queue Rank': { number: rank } },
    });
  const rank = (): unknown => task.value('Queue Rank');

  test('a planned status is returned `times` times, and only to its operation', async () => {
    notion.faults.on('updatePage', { kind: 'status', status: 503 }, { times: 2 });

    await clientOf(notion).users.me({});
    expect(await refusalOf(write())).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect((await refusalOf(write())).status).toBe(503);
    await write();
    expect(rank()).toBe(1);
  });

  test('a 429 with the words that a test gives it', async () => {
    const fault = { kind: 'status', status: 429, retryAfterS: 90, reason: 'elsewhere' } as const;
    notion.faults.on('*', fault);

    expect(await refusalOf(write())).toMatchObject({
      code: 'rate_limited',
      retryAfterS: 90,
      reason: 'elsewhere',
    });
  });

  test('a fault can begin after some successful calls, or match parameters', async () => {
    notion.faults.on('updatePage', { kind: 'status', status: 409 }, { after: 1 });
    await write();
    expect((await refusalOf(write())).code).toBe('conflict_error');

    const other = notion.workspace.board().task({ Name: 'Two' });
    notion.faults.on(
      'updatePage',
      { kind: 'status', status: 500 },
      { matching: ({ page_id }) => page_id === other.id },
    );
    await write(2);
    expect(rank()).toBe(2);
  });

  test('a call can get the response of a proxy', async () => {
    notion.faults.on('updatePage', { kind: 'body', status: 502, body: '<html>Bad Gateway' });

    expect((await refusalOf(write())).code).toBe('notionhq_client_response_error');
    expect(notion.journal.calls('updatePage')[0]?.outcome).toEqual({
      kind: 'garbled',
      status: 502,
    });
  });

  test.each([
    ['before' as const, null],
    ['after' as const, 1],
  ])('the connection breaks %s the effect', async (when, expected) => {
    notion.faults.on('updatePage', { kind: 'drop', when });

    await expect(write()).rejects.toThrow();
    expect(rank()).toBe(expected);
    expect(notion.journal.calls('updatePage')[0]).toMatchObject({
      hadEffect: when === 'after',
      outcome: { kind: 'dropped', by: 'server' },
    });
  });

  test("a response can be late by the server's clock, before or after the effect", async () => {
    notion.faults.on('updatePage', { kind: 'delay', ms: 7_000, when: 'after' });
    const late = write();
    await notion.until('the reply is late', () => notion.faults.waiting === 1);
    expect(rank()).toBe(1);
    clock.advance(7_000);
    await late;

    notion.faults.on('updatePage', { kind: 'delay', ms: 7_000 });
    const later = write(2);
    await notion.until('the call is late', () => notion.faults.waiting === 1);
    expect(rank()).toBe(1);
    clock.advance(7_000);
    await later;
    expect(rank()).toBe(2);
  });

  test('it hangs until it is released', async () => {
    notion.faults.on('updatePage', { kind: 'hang' });
    const hanging = write();
    await notion.until('it came', () => notion.faults.waiting === 1);
    expect(rank()).toBe(null);
    notion.faults.release();
    await hanging;
    expect(rank()).toBe(1);
  });

  test('the server can go away and come back at its address', async () => {
    const { url } = notion;
    await notion.goDown();
    await expect(send(notion, 'GET', 'users/me')).rejects.toThrow();
    await notion.comeUp();

    expect(notion.url).toBe(url);
    expect((await send(notion, 'GET', 'users/me')).status).toBe(200);
  });
});
