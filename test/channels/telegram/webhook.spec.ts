import { PinInput } from '../../../src/channels/telegram/intake/update-handling';
import type { TestApp } from '../../support/app';
import { type SeenUnit, isClosed, watchUnits } from '../../support/seen-units';
import { gate } from '../../../tools/http-fake/gate';
import { EN, BotIntake, SECRET, textUpdate } from './bot-intake';

let setup: BotIntake;

const header = (secret: string): Record<string, string> => ({
  'x-telegram-bot-api-secret-token': secret,
});

async function stored(): Promise<number> {
  return (await setup.app.sql('select 1 from telegram_update')).length;
}

describe('a call without an update that can be stored', () => {
  beforeAll(async () => {
    setup = await BotIntake.start({ mode: 'webhook' });
  });

  afterAll(() => setup.close());

  test.each([
    ['forged', header(`${SECRET.slice(0, -1)}X`)],
    ['shorter', header(SECRET.slice(0, -1))],
    ['longer', header(`${SECRET}${SECRET}`)],
    ['empty', header('')],
    ['missing', {}],
  ])('with a secret that is %s gets 401, and nothing is stored', async (_how, headers) => {
    const response = await setup.push(textUpdate('/help'), { headers });

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'secret_unknown' });
    expect(await stored()).toBe(0);
  });

  test.each([
    ['no update_id', { message: textUpdate('hi').message }, 400],
    ['an update_id that is not a number', { update_id: 'one' }, 400],
    ['an update_id that is too large to be exact', '{"update_id": 1e30}', 400],
    ['a list', [textUpdate('hi')], 400],
    ['null', 'null', 400],
    ['text that is not JSON', 'update_id=1', 400],
    ['half of a JSON document', '{"update_id": 1', 400],
    ['a body of 1 MB', textUpdate('x'.repeat(1_000_000)), 413],
  ])('%s is refused with a clear status', async (_what, body, status) => {
    const response = await setup.push(body);

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code: expect.any(String) as string, status });
    expect(await stored()).toBe(0);
  });

  test('another kind of content is refused', async () => {
    const headers = { ...header(SECRET), 'content-type': 'application/x-www-form-urlencoded' };
    const response = await setup.push('update_id=1', { headers });

    expect(response.status).toBe(415);
  });

  test('unknown kinds, bots and unreadable updates get 200 and are counted, not stored', async () => {
    const { message } = textUpdate('hi');
    const unheard = [
      { update_id: 1 },
      { update_id: 2, brand_new_kind: { chat: { id: 1 } } },
      { update_id: 3, message: { ...message, from: { id: 9, is_bot: true, first_name: 'B' } } },
      { update_id: 4, message: { message_id: 'x' } },
      { update_id: 5, message: null },
      { update_id: 6, callback_query: { id: 'c' } },
      { update_id: 7, poll: {} },
    ];
    for (const update of unheard) expect((await setup.push(update)).status).toBe(200);

    expect(await stored()).toBe(0);
    expect(await setup.app.metrics('telegram_updates_total', { outcome: 'ignored' })).toBe(
      unheard.length,
    );
  });
});

describe('a call with an update', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode: 'webhook' });
  });

  afterEach(() => setup.close());

  test('text that PostgreSQL cannot store is replaced and stored', async () => {
    const ada = await setup.candidate();
    const at = { chatId: ada.user.id, messageId: 999, updateId: 999 };
    const response = await setup.push(textUpdate('a\0b \ud800 c', at));

    expect(response.status).toBe(200);
    expect(await setup.said(ada)).toEqual(['a b   c']);
  });

  test('in a group the bot says nothing and leaves', async () => {
    const group = setup.telegram.group();
    const ada = setup.telegram.user();
    ada.starts();
    await setup.untilTold(ada, EN.waysIn.script);
    ada.in(group).writes('hello everybody');
    await setup.app.until(
      'the bot leaves',
      () => setup.telegram.journal.calls('leaveChat').length === 1,
    );

    expect(setup.telegram.journal.calls('sendMessage').map(({ params }) => params.chat_id)).toEqual(
      [ada.user.id],
    );
  });

  test('all replicas handle pushed updates, and none of them polls', async () => {
    const second = await setup.another();
    const people = Array.from({ length: 6 }, () => setup.telegram.user());
    for (const person of people) person.writes('/help');
    for (const person of people)
      await setup.untilTold(person, EN.help({ voices: false, interviewer: 'script' }));

    const handledBy = (app: TestApp): Promise<number> =>
      app.metrics('telegram_updates_total', { outcome: 'handled' });
    const [first, other] = [await handledBy(setup.app), await handledBy(second)];
    expect(first + other).toBe(6);
    expect(Math.min(first, other)).toBeGreaterThan(0);
    expect(setup.telegram.journal.calls('getUpdates')).toEqual([]);
    expect(setup.telegram.journal.violations).toEqual([]);
  });
});

describe('a call has one unit of work', () => {
  const LABEL = 'http POST /webhooks/telegram';
  let seen: SeenUnit[];

  beforeEach(async () => {
    setup = await BotIntake.start({ mode: 'webhook', isWorking: false });
    seen = watchUnits(setup.app.units);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await setup.close();
  });

  /** The units of calls, and every other one that has stored an update. */
  const ofUpdates = (): SeenUnit[] =>
    seen.filter(
      ({ unit, commits }) =>
        unit.label === LABEL || commits.some((label) => label.startsWith('telegram.')),
    );

  test('which makes all its commits and is closed with its response', async () => {
    const { openUnits } = setup.app.units;
    const update = textUpdate('1234 5678 9012');

    expect((await setup.push(update)).status).toBe(200);

    expect(ofUpdates().map(({ unit, commits }) => [unit.label, commits])).toEqual([
      [LABEL, ['telegram.pin_allowed', 'telegram.take']],
    ]);
    expect(ofUpdates().every(({ unit }) => isClosed(unit))).toBe(true);
    await setup.app.until('no further unit is open', () => setup.app.units.openUnits <= openUnits);
  });

  test('also in a burst, where the unit of one call commits for several', async () => {
    const { openUnits } = setup.app.units;
    const calls = Array.from({ length: 60 }, (_, n) =>
      setup.push(textUpdate('/help', { chatId: 4_300_000_000 + n, updateId: n + 1 })),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(ofUpdates().map(({ unit }) => unit.label)).toEqual(calls.map(() => LABEL));
    const batches = ofUpdates().filter(({ commits }) => commits.includes('telegram.store_batch'));
    expect(batches.length).toBeGreaterThan(0);
    expect(batches.length).toBeLessThan(calls.length / 2);
    expect(ofUpdates().every(({ unit }) => isClosed(unit))).toBe(true);
    await setup.app.until('no further unit is open', () => setup.app.units.openUnits <= openUnits);
  });

  test('which stores the update although the client has left', async () => {
    const pins = setup.app.get(PinInput);
    const [isTaking, mayGoOn, hasLeft] = [gate(), gate(), gate()];
    jest.spyOn(pins, 'keyOf').mockImplementationOnce(async () => {
      isTaking.open();
      await mayGoOn.opened;
      return null;
    });
    const server = setup.app.nest.getHttpServer();
    server.once('request', (_request, response) => response.once('close', hasLeft.open));
    const leave = new AbortController();
    const call = setup.push(textUpdate('/help'), { signal: leave.signal });
    await isTaking.opened;
    leave.abort();
    await expect(call).rejects.toThrow();
    await hasLeft.opened;
    const meanwhile = ofUpdates().map(({ unit }) => isClosed(unit));
    mayGoOn.open();
    await setup.app.until('the unit is closed', () =>
      ofUpdates().every(({ unit }) => isClosed(unit)),
    );

    expect(meanwhile).toEqual([false]);
    expect(ofUpdates().map(({ commits }) => commits)).toEqual([['telegram.take']]);
    expect(await stored()).toBe(1);
  });
});

describe('one address that calls often', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode: 'webhook', env: { RATE_LIMIT_PER_MINUTE: '5' } });
  });

  afterEach(() => setup.close());

  test('is throttled at the candidate API and not at the webhook', async () => {
    const statuses: number[] = [];
    for (let n = 1; n <= 20; n += 1) {
      const at = { updateId: n, messageId: n };
      statuses.push((await setup.push(textUpdate('/help', at))).status);
    }
    const { app } = setup;
    const elsewhere = await Promise.all(
      Array.from({ length: 10 }, () => fetch(`${app.url}/api/v1/conversation`)),
    );

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(elsewhere.map(({ status }) => status)).toContain(429);
  });
});

describe('while the bot polls', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode: 'polling' });
  });

  afterEach(() => setup.close());

  test('there is no webhook', async () => {
    expect((await setup.push(textUpdate('/help'))).status).toBe(404);
    expect(await stored()).toBe(0);
  });
});
