import { EVENT_RATE } from '../../../src/notion-sync/intake/webhook-guard';
import { withConstants } from '../../support/constants';
import { randomUUID } from 'node:crypto';
import { Drain } from '../../../src/common/lifecycle';
import { IntakeStart } from '../../../src/notion-sync/intake/event-intake';
import { FakeClock } from '../../../tools/support/fake-clock';
import { giveBack, takeAway } from '../../support/outside';
import { until } from '../../support/until';
import { AUTOMATION, EVENTS, NotionEvents, SECRET } from './notion-events';

const DAY_MS = 24 * 3_600_000;

let setup: NotionEvents;
afterEach(() => setup.close());

const created = (): object => setup.event('page.created', randomUUID());
const knowsItself = () =>
  until('the bot knows its own id', () => setup.app.log.count('Notion knows this integration') > 0);

describe('requests in a second', () => {
  let clock: FakeClock;
  withConstants(EVENT_RATE, { perSecond: 3 });
  beforeEach(async () => {
    clock = new FakeClock();
    setup = await NotionEvents.start({ clock });
  });

  test('beyond the limit get 429 with Retry-After, are counted, and are logged once', async () => {
    const responses = [];
    for (let n = 0; n < 5; n += 1) responses.push(await setup.send(created()));

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(responses.at(-1)?.headers.get('retry-after')).toBe('1');
    expect(await setup.events('too_many')).toBe(2);
    expect(setup.app.log.count('more than 3 events in a second')).toBe(1);
  });

  test('of both webhooks count together, and are accepted again when the second is over', async () => {
    for (let n = 0; n < 3; n += 1) await setup.call({ data: { object: 'page', id: randomUUID() } });
    expect((await setup.send(created())).status).toBe(429);
    expect((await setup.call({})).status).toBe(429);
    clock.advance(999);
    expect((await setup.send(created())).status).toBe(429);
    clock.advance(1);
    expect((await setup.send(created())).status).toBe(200);
  });

  test('that are forged do not use up the limit of the genuine ones', async () => {
    for (let n = 0; n < 9; n += 1) {
      await setup.send(created(), setup.app, 'forged');
      await setup.post(EVENTS, '{}');
      await setup.post(AUTOMATION, '{}', { 'x-colloquy-secret': `${SECRET}?` });
    }

    expect((await setup.send(created())).status).toBe(200);
  });
});

describe("the integration's own user", () => {
  test('is read once per start', async () => {
    setup = await NotionEvents.start();
    await knowsItself();
    await setup.another();
    await until(
      'both replicas know it',
      () => setup.app.log.count('Notion knows this integration') === 2,
    );

    expect(setup.notion.journal.calls('getSelf')).toHaveLength(2);
  });

  test('is read again until Notion is back; until then no event counts as our own', async () => {
    setup = await NotionEvents.start({ isUp: false });
    const authors = [{ id: setup.notion.botId, type: 'bot' }];
    const own = (): object => setup.event('page.created', randomUUID(), { authors });
    expect((await setup.send(own())).status).toBe(200);
    expect(await setup.events('stored')).toBe(1);
    await until(
      'the first read has failed',
      () => setup.app.log.count("the integration's own user could not be read") > 0,
    );

    await setup.notion.comeUp();
    await knowsItself();
    expect((await setup.send(own())).status).toBe(200);
    expect(await setup.events('own_echo')).toBe(1);
    expect(setup.app.log.count("the integration's own user could not be read")).toBe(1);
  });
});

describe('an acknowledged event', () => {
  test('is stored: its job exists before the response', async () => {
    setup = await NotionEvents.start({ clock: new FakeClock() });
    const pageId = randomUUID();
    await setup.send(setup.event('page.created', pageId));

    expect(await setup.waiting()).toEqual([pageId]);
    expect(await setup.app.sql(`select event_key from notion_event`)).toHaveLength(1);
  });

  test('gets 503 with Retry-After while the database is away, and Notion sends it again', async () => {
    setup = await NotionEvents.start();
    const pageId = randomUUID();
    const event = setup.event('page.created', pageId);
    await takeAway(setup.app.databaseUrl);
    const response = await setup.send(event);
    await giveBack(setup.app.databaseUrl);

    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await setup.events('not_stored')).toBe(1);
    await until('the event is accepted', async () => (await setup.send(event)).status === 200);
    await until('the page is read', () => readsOf(pageId) === 1);
  });

  test('gets 503 with Retry-After at both webhooks once this process stops', async () => {
    setup = await NotionEvents.start();
    await knowsItself();
    void setup.app.get(Drain).begin('a test');
    const responses = [await setup.send(created()), await setup.call({})];

    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    for (const response of responses) expect(response.headers.get('retry-after')).toBe('1');
  });
});

test('ids of events are deleted after three days, and not before', async () => {
  const clock = new FakeClock();
  setup = await NotionEvents.start({ clock });
  await setup.send(created());
  clock.advance(3 * DAY_MS - 1000);
  await setup.send(created());
  const start = setup.app.get(IntakeStart);
  const left = async (): Promise<number> => {
    await start.sweep();
    return (await setup.app.sql('select 1 from notion_event')).length;
  };

  expect(await left()).toBe(2);
  clock.advance(2000);
  expect(await left()).toBe(1);
});

test('an event that two replicas get at once is stored by one of them', async () => {
  setup = await NotionEvents.start({ clock: new FakeClock() });
  const other = await setup.another();
  const pageId = randomUUID();
  const event = setup.event('page.created', pageId);
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) => setup.send(event, n % 2 === 0 ? setup.app : other)),
  );

  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(await setup.waiting()).toEqual([pageId]);
  const stored = await other.metrics('notion_events_total', { outcome: 'stored' });
  expect((await setup.events('stored')) + stored).toBe(1);
});

/** How many calls to Notion have read this page. */
function readsOf(pageId: string): number {
  const calls = setup.notion.journal.calls('getPage');
  return calls.filter(({ params }) => JSON.stringify(params).includes(pageId)).length;
}
