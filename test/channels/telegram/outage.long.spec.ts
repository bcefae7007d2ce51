import type { JournalEntry } from '../../../tools/fake-telegram/journal';
import type { Fault } from '../../../tools/fake-telegram/faults';
import { FakeClock } from '../../../tools/support/fake-clock';
import { EN, BotIntake } from './bot-intake';

let setup: BotIntake;

/** Longer than any pause before a retry; these pauses grow to 30 s and 60 s. */
const LONG_MS = 600_000;

async function untilCondition(condition: 'ok' | 'degraded', trouble = ''): Promise<void> {
  await setup.app.until(`${condition} ${trouble}`, async () => {
    const ready = await setup.ready();
    expect(ready.status).toBe(200);
    return ready.condition === condition && ready.trouble.includes(trouble);
  });
}

/** The log lines about the bot. Also checks that no log line contains its token. */
function lines(): string[] {
  const secret = setup.telegram.token.split(':')[1] ?? '';
  expect(setup.app.log.lines.join('\n')).not.toContain(secret);
  return setup.app.log.linesOf('Telegram');
}

/** Expects that the bot recovers by itself and replies to a command. */
async function expectService(): Promise<void> {
  await setup.untilLater(
    'the bot is healthy again',
    async () => (await setup.ready()).condition === 'ok',
  );
  const ada = setup.telegram.user();
  ada.writes('/help');
  await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
  await untilCondition('ok');
  expect(setup.telegram.journal.violations).toEqual([]);
}

const UNAUTHORIZED = { kind: 'status', code: 401, description: 'Unauthorized' } as const;
const TROUBLES: readonly [string, Fault, string][] = [
  ['the token is revoked', UNAUTHORIZED, 'token'],
  [
    'a proxy responds with HTML',
    { kind: 'body', status: 502, body: '<html>Bad Gateway' },
    'responds with status 502',
  ],
  [
    'a proxy responds with its own JSON',
    { kind: 'body', status: 200, body: '{"ok":true,"result":{"hello":1}}' },
    'no list of updates',
  ],
  ['the Bot API has errors', { kind: 'status', code: 500 }, 'status 500'],
  ['the connection breaks', { kind: 'drop' }, 'sends unusable responses'],
];

function polls(): readonly JournalEntry[] {
  return setup.telegram.journal.calls('getUpdates');
}

/** Checks the tries of ten minutes: the last ones are at least 30 s apart. */
function expectBackOff(tries: readonly JournalEntry[]): void {
  expect(tries.length).toBeGreaterThan(5);
  expect(tries.length).toBeLessThan(40);
  const times = tries.map(({ at }) => at.getTime());
  const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
  expect(Math.min(...gaps.slice(-5))).toBeGreaterThanOrEqual(30_000);
}

describe('while the bot polls', () => {
  beforeAll(async () => {
    setup = await BotIntake.start({ clock: new FakeClock() });
  });

  beforeEach(async () => {
    await setup.telegram.until('the bot polls', () => setup.telegram.isPolled);
    await untilCondition('ok');
  });

  afterAll(() => setup.close());

  test.each(TROUBLES)(
    '%s: the process stays up and ready, logs the reason once, and recovers',
    async (_what, fault, trouble) => {
      const before = lines().length;
      setup.telegram.faults.on('getUpdates', fault, { times: Infinity });
      setup.telegram.user().writes('hello');
      await untilCondition('degraded', trouble);
      const tried = polls().length;
      await setup.passes(LONG_MS);

      expectBackOff(polls().slice(tried));
      expect(lines().length - before).toBeLessThanOrEqual(4);
      setup.telegram.faults.clear();
      await expectService();
    },
  );

  test('another process that polls with the same token is logged once, and polling resumes after it', async () => {
    const before = lines().length;
    const conflict = { kind: 'status', code: 409, description: 'Conflict' } as const;
    setup.telegram.faults.on('getUpdates', conflict, { times: 10 });
    await setup.telegram.goDown();
    await setup.telegram.comeUp();
    await untilCondition('degraded', 'another process');
    await expectService();

    const told = lines().slice(before);
    expect(told.filter((line) => line.includes('another process')).length).toBeLessThanOrEqual(1);
  });

  test('a webhook that somebody sets is removed, and polling continues', async () => {
    const { apiRoot, token } = setup.telegram;
    await fetch(`${apiRoot}/bot${token}/setWebhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/' }),
    });
    await expectService();
  });

  test('the pause of a 429 is obeyed', async () => {
    const paused = { kind: 'status', code: 429, retryAfterS: 100 } as const;
    setup.telegram.faults.on('getUpdates', paused);
    setup.telegram.user().writes('hello');
    await setup.app.until(
      'the poll is refused',
      () => setup.telegram.journal.refused(429).length === 1,
    );
    const count = polls().length;
    await setup.untilLater('the bot polls again', () => polls().length > count);

    const waitedMs = (polls()[count]?.at.getTime() ?? 0) - (polls()[count - 1]?.at.getTime() ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(100_000);
    await expectService();
  });
});

describe('from the start, while the bot polls', () => {
  beforeEach(async () => {
    setup = await BotIntake.start({ clock: new FakeClock(), isWorking: false });
  });

  afterEach(() => setup.close());

  test('an unreachable API is retried until it responds', async () => {
    await setup.telegram.goDown();
    setup.app.worker.start();
    await untilCondition('degraded', 'cannot be reached');
    await setup.passes(LONG_MS);

    expect(lines()).toEqual([
      'the bot has a problem: the Bot API cannot be reached; check the network and TELEGRAM_API_ROOT [Telegram]',
    ]);
    await setup.telegram.comeUp();
    await expectService();
    await setup.untilLater('the bot has set its commands', () => {
      return setup.telegram.commandsFor('ru').length > 0;
    });
  });

  test('a wrong token is shown and logged once, and retried with growing pauses until it is right', async () => {
    const { token } = setup.telegram;
    setup.telegram.revokeToken();
    const calls = () => setup.telegram.journal.all.length;
    setup.app.worker.start();
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');
    await setup.passes(LONG_MS);
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');

    const tried = calls();
    await setup.passes(LONG_MS);
    // Every 30 s by the poller and every 60 s by the set-up, for ten minutes.
    expect(calls() - tried).toBeGreaterThan(5);
    expect(calls() - tried).toBeLessThan(40);
    expect(lines()).toEqual([
      'the bot has a problem: Telegram does not know the token; check TELEGRAM_BOT_TOKEN [Telegram]',
    ]);
    setup.telegram.token = token;
    await expectService();
    await setup.untilLater('the bot has set its commands', () => {
      return setup.telegram.commandsFor('ru').length > 0;
    });
  });
});

/** Another process that polls with the same token. It polls again at once after any response. */
class OtherPoller {
  readonly statuses: number[] = [];
  private readonly stopping = new AbortController();
  private readonly polling: Promise<void>;

  constructor(private readonly url: string) {
    this.polling = this.poll();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.polling;
  }

  private async poll(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const response = await fetch(`${this.url}?timeout=50`, { signal }).catch(() => null);
      if (response !== null) this.statuses.push(response.status);
    }
  }
}

describe('next to another poller with the same token', () => {
  let other: OtherPoller;

  beforeEach(async () => {
    setup = await BotIntake.start({ clock: new FakeClock() });
    await setup.telegram.until('the bot polls', () => setup.telegram.isPolled);
    const { apiRoot, token } = setup.telegram;
    other = new OtherPoller(`${apiRoot}/bot${token}/getUpdates`);
  });

  afterEach(async () => {
    await other.stop();
    await setup.close();
  });

  test('each ends the poll of the other; ours logs it once and backs off with growing pauses', async () => {
    await untilCondition('degraded', 'another process polls for updates');
    await setup.passes(LONG_MS);
    await untilCondition('degraded', 'another process polls for updates');

    const ours = polls().filter(({ params }) => params.timeout !== 50);
    expect(other.statuses).toContain(409);
    expect(setup.telegram.journal.refused(409).length).toBeGreaterThan(other.statuses.length);
    expectBackOff(ours);
    expect(lines().filter((line) => line.includes('another process'))).toHaveLength(1);
    await other.stop();
    await expectService();
  });

  test('each update is handled once, whichever of the two gets it', async () => {
    await untilCondition('degraded', 'another process polls for updates');
    const ada = setup.telegram.user();
    ada.writes('/help');
    await setup.untilLater(
      'the command gets its reply',
      () => setup.told(ada, EN.help({ voices: false, interviewer: 'script' })) > 0,
    );
    await other.stop();
    await expectService();

    expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(1);
  });
});

describe('while updates are pushed', () => {
  afterEach(() => setup.close());

  test('a wrong token is logged once, and the bot recovers when it is right', async () => {
    setup = await BotIntake.start({ mode: 'webhook', clock: new FakeClock(), isWorking: false });
    setup.telegram.faults.on('*', UNAUTHORIZED, { times: 5 });
    setup.app.worker.start();
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');
    await expectService();

    expect(lines()).toEqual([
      'the bot has a problem: Telegram does not know the token; check TELEGRAM_BOT_TOKEN [Telegram]',
      'the bot is connected [Telegram]',
    ]);
  });

  test('a webhook that Telegram refuses is shown, and logged once', async () => {
    setup = await BotIntake.start({ mode: 'webhook', clock: new FakeClock(), isWorking: false });
    const description = 'Bad Request: bad webhook: HTTPS url must be provided for webhook';
    const refusal = { kind: 'status', code: 400, description } as const;
    setup.telegram.faults.on('setWebhook', refusal, { times: 4 });
    setup.app.worker.start();
    await untilCondition('degraded', 'HTTPS url must be provided');
    await expectService();

    expect(lines().filter((line) => line.includes('HTTPS'))).toHaveLength(2);
  });

  test('a revoked token is noticed without any update', async () => {
    setup = await BotIntake.start({ mode: 'webhook', clock: new FakeClock() });
    await untilCondition('ok');
    const { token } = setup.telegram;
    setup.telegram.revokeToken();
    await setup.untilLater('the revoked token is noticed', async () => {
      const { status, condition, trouble } = await setup.ready();
      expect(status).toBe(200);
      return condition === 'degraded' && trouble.includes('token');
    });
    setup.telegram.token = token;
    await expectService();
  });
});
