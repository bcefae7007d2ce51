import { randomUUID } from 'node:crypto';
import { Drain } from '../../../src/common/lifecycle';
import { IntakeStart } from '../../../src/notion-sync/intake/event-intake';
import { FakeClock } from '../../support/clock';
import { giveBack, takeAway } from '../../support/outside';
import { until } from '../../support/postgres/processes';
import { AUTOMATION, EVENTS, NotionStage, SECRET } from './notion-stage';

const DAY_MS = 24 * 3_600_000;

let stage: NotionStage;
afterEach(() => stage.close());

const created = (): object => stage.event('page.created', randomUUID());
const knowsItself = () =>
  until('the bot knows its own id', () => stage.told('Notion knows this integration') > 0);

describe('requests in a second', () => {
  let clock: FakeClock;
  beforeEach(async () => {
    clock = new FakeClock();
    stage = await NotionStage.open({ clock, env: { NOTION_EVENTS_PER_SECOND: '3' } });
  });

  test('beyond the limit get 429 with Retry-After, are counted, and are logged once', async () => {
    const answers = [];
    for (let n = 0; n < 5; n += 1) answers.push(await stage.send(created()));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('1');
    expect(await stage.events('too_many')).toBe(2);
    expect(stage.told('NOTION_EVENTS_PER_SECOND')).toBe(1);
  });

  test('of both webhooks count together, and are accepted again when the second is over', async () => {
    for (let n = 0; n < 3; n += 1) await stage.call({ data: { object: 'page', id: randomUUID() } });
    expect((await stage.send(created())).status).toBe(429);
    expect((await stage.call({})).status).toBe(429);
    clock.advance(999);
    expect((await stage.send(created())).status).toBe(429);
    clock.advance(1);
    expect((await stage.send(created())).status).toBe(200);
  });

  test('that are forged do not use up the limit of the genuine ones', async () => {
    for (let n = 0; n < 9; n += 1) {
      await stage.send(created(), stage.app, 'forged');
      await stage.post(EVENTS, '{}');
      await stage.post(AUTOMATION, '{}', { 'x-colloquy-secret': `${SECRET}?` });
    }

    expect((await stage.send(created())).status).toBe(200);
  });
});

describe("the integration's own user", () => {
  test('is read once per start', async () => {
    stage = await NotionStage.open();
    await knowsItself();
    await stage.another();
    await until('both replicas know it', () => stage.told('Notion knows this integration') === 2);

    expect(stage.notion.journal.calls('getSelf')).toHaveLength(2);
  });

  test('is read again until Notion is back; until then no event counts as our own', async () => {
    stage = await NotionStage.open({ isUp: false });
    const authors = [{ id: stage.notion.botId, type: 'bot' }];
    const own = (): object => stage.event('page.created', randomUUID(), { authors });
    expect((await stage.send(own())).status).toBe(200);
    expect(await stage.events('stored')).toBe(1);
    await until(
      'the first read has failed',
      () => stage.told("the integration's own user could not be read") > 0,
    );

    await stage.notion.comeUp();
    await knowsItself();
    expect((await stage.send(own())).status).toBe(200);
    expect(await stage.events('own_echo')).toBe(1);
    expect(stage.told("the integration's own user could not be read")).toBe(1);
  });
});

describe('an acknowledged event', () => {
  test('is stored: its job exists before the response', async () => {
    stage = await NotionStage.open({ clock: new FakeClock() });
    const pageId = randomUUID();
    await stage.send(stage.event('page.created', pageId));

    expect(await stage.waiting()).toEqual([pageId]);
    expect(await stage.rows(`select event_key from notion_event`)).toHaveLength(1);
  });

  test('gets 503 with Retry-After while the database is away, and Notion sends it again', async () => {
    stage = await NotionStage.open();
    const pageId = randomUUID();
    const event = stage.event('page.created', pageId);
    await takeAway(stage.app.databaseUrl);
    const answer = await stage.send(event);
    await giveBack(stage.app.databaseUrl);

    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await stage.events('not_stored')).toBe(1);
    await until('the event is accepted', async () => (await stage.send(event)).status === 200);
    await until('the page is read', () => stage.readsOf(pageId) === 1);
  });

  test('gets 503 with Retry-After at both webhooks once this process stops', async () => {
    stage = await NotionStage.open();
    await knowsItself();
    void stage.app.nest.get(Drain).begin('a test');
    const answers = [await stage.send(created()), await stage.call({})];

    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    for (const answer of answers) expect(answer.headers.get('retry-after')).toBe('1');
  });
});

test('ids of events are deleted after three days, and not before', async () => {
  const clock = new FakeClock();
  stage = await NotionStage.open({ clock });
  await stage.send(created());
  clock.advance(3 * DAY_MS - 1000);
  await stage.send(created());
  const start = stage.app.nest.get(IntakeStart, { strict: false });
  const left = async (): Promise<number> => {
    await start.sweep();
    return (await stage.rows('select 1 from notion_event')).length;
  };

  expect(await left()).toBe(2);
  clock.advance(2000);
  expect(await left()).toBe(1);
});

test('an event that two replicas get at once is stored by one of them', async () => {
  stage = await NotionStage.open({ clock: new FakeClock() });
  const other = await stage.another();
  const pageId = randomUUID();
  const event = stage.event('page.created', pageId);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => stage.send(event, n % 2 === 0 ? stage.app : other)),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(await stage.waiting()).toEqual([pageId]);
  const stored = 'colloquy_notion_events_total{outcome="stored"}';
  expect((await stage.metric(stored)) + (await stage.metric(stored, other))).toBe(1);
});
