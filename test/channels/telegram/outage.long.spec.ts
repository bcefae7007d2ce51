import type { JournalEntry } from '../../../tools/fake-telegram/journal';
import type { Fault } from '../../../tools/fake-telegram/faults';
import { FakeClock } from '../../support/clock';
import { EN, IntakeStage } from './intake-stage';

let stage: IntakeStage;

/** Longer than any pause before a retry; these pauses grow to 30 s and 60 s. */
const LONG_MS = 600_000;

async function untilCondition(condition: 'ok' | 'degraded', trouble = ''): Promise<void> {
  await stage.until(`${condition} ${trouble}`, async () => {
    const ready = await stage.ready();
    expect(ready.status).toBe(200);
    return ready.condition === condition && ready.trouble.includes(trouble);
  });
}

/** The log lines about the bot. Also checks that no log line contains its token. */
function lines(): string[] {
  const secret = stage.telegram.token.split(':')[1] ?? '';
  expect(stage.app.log.lines.join('\n')).not.toContain(secret);
  return stage.app.log.linesOf('Telegram');
}

/** Expects that the bot recovers by itself and replies to a command. */
async function expectService(): Promise<void> {
  await stage.untilLater(
    'the bot is healthy again',
    async () => (await stage.ready()).condition === 'ok',
  );
  const ada = stage.telegram.user();
  ada.writes('/help');
  await stage.untilTold(ada, EN.help({ voices: false }));
  await untilCondition('ok');
  expect(stage.telegram.journal.violations).toEqual([]);
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
  return stage.telegram.journal.calls('getUpdates');
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
    stage = await IntakeStage.open({ clock: new FakeClock() });
  });

  beforeEach(async () => {
    await stage.telegram.until('the bot polls', () => stage.telegram.isPolled);
    await untilCondition('ok');
  });

  afterAll(() => stage.close());

  test.each(TROUBLES)(
    '%s: the process stays up and ready, logs the reason once, and recovers',
    async (_what, fault, trouble) => {
      const before = lines().length;
      stage.telegram.faults.on('getUpdates', fault, { times: Infinity });
      stage.telegram.user().writes('hello');
      await untilCondition('degraded', trouble);
      const tried = polls().length;
      await stage.passes(LONG_MS);

      expectBackOff(polls().slice(tried));
      expect(lines().length - before).toBeLessThanOrEqual(4);
      stage.telegram.faults.clear();
      await expectService();
    },
  );

  test('another process that polls with the same token is logged once, and polling resumes after it', async () => {
    const before = lines().length;
    const conflict = { kind: 'status', code: 409, description: 'Conflict' } as const;
    stage.telegram.faults.on('getUpdates', conflict, { times: 10 });
    await stage.telegram.goDown();
    await stage.telegram.comeUp();
    await untilCondition('degraded', 'another process');
    await expectService();

    const told = lines().slice(before);
    expect(told.filter((line) => line.includes('another process')).length).toBeLessThanOrEqual(1);
  });

  test('a webhook that somebody sets is removed, and polling continues', async () => {
    const { apiRoot, token } = stage.telegram;
    await fetch(`${apiRoot}/bot${token}/setWebhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/' }),
    });
    await expectService();
  });

  test('the pause of a 429 is obeyed', async () => {
    const paused = { kind: 'status', code: 429, retryAfterS: 100 } as const;
    stage.telegram.faults.on('getUpdates', paused);
    stage.telegram.user().writes('hello');
    await stage.until(
      'the poll is refused',
      () => stage.telegram.journal.refused(429).length === 1,
    );
    const count = polls().length;
    await stage.untilLater('the bot polls again', () => polls().length > count);

    const waitedMs = (polls()[count]?.at.getTime() ?? 0) - (polls()[count - 1]?.at.getTime() ?? 0);
    expect(waitedMs).toBeGreaterThanOrEqual(100_000);
    await expectService();
  });
});

describe('from the start, while the bot polls', () => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ clock: new FakeClock(), isWorking: false });
  });

  afterEach(() => stage.close());

  test('an unreachable API is retried until it responds', async () => {
    await stage.telegram.goDown();
    stage.app.worker.start();
    await untilCondition('degraded', 'cannot be reached');
    await stage.passes(LONG_MS);

    expect(lines()).toEqual(['the bot has a problem: the Bot API cannot be reached [Telegram]']);
    await stage.telegram.comeUp();
    await expectService();
    await stage.untilLater('the bot has set its commands', () => {
      return stage.telegram.commandsFor('ru').length > 0;
    });
  });

  test('a wrong token is shown and logged once, and retried with growing pauses until it is right', async () => {
    const { token } = stage.telegram;
    stage.telegram.revokeToken();
    const calls = () => stage.telegram.journal.all.length;
    stage.app.worker.start();
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');
    await stage.passes(LONG_MS);
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');

    const tried = calls();
    await stage.passes(LONG_MS);
    // Every 30 s by the poller and every 60 s by the set-up, for ten minutes.
    expect(calls() - tried).toBeGreaterThan(5);
    expect(calls() - tried).toBeLessThan(40);
    expect(lines()).toEqual([
      'the bot has a problem: Telegram does not know the token; check TELEGRAM_BOT_TOKEN [Telegram]',
    ]);
    stage.telegram.token = token;
    await expectService();
    await stage.untilLater('the bot has set its commands', () => {
      return stage.telegram.commandsFor('ru').length > 0;
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
      const answer = await fetch(`${this.url}?timeout=50`, { signal }).catch(() => null);
      if (answer !== null) this.statuses.push(answer.status);
    }
  }
}

describe('next to another poller with the same token', () => {
  let other: OtherPoller;

  beforeEach(async () => {
    stage = await IntakeStage.open({ clock: new FakeClock() });
    await stage.telegram.until('the bot polls', () => stage.telegram.isPolled);
    const { apiRoot, token } = stage.telegram;
    other = new OtherPoller(`${apiRoot}/bot${token}/getUpdates`);
  });

  afterEach(async () => {
    await other.stop();
    await stage.close();
  });

  test('each ends the poll of the other; ours logs it once and backs off with growing pauses', async () => {
    await untilCondition('degraded', 'another process polls for updates');
    await stage.passes(LONG_MS);
    await untilCondition('degraded', 'another process polls for updates');

    const ours = polls().filter(({ params }) => params.timeout !== 50);
    expect(other.statuses).toContain(409);
    expect(stage.telegram.journal.refused(409).length).toBeGreaterThan(other.statuses.length);
    expectBackOff(ours);
    expect(lines().filter((line) => line.includes('another process'))).toHaveLength(1);
    await other.stop();
    await expectService();
  });

  test('each update is handled once, whichever of the two gets it', async () => {
    await untilCondition('degraded', 'another process polls for updates');
    const ada = stage.telegram.user();
    ada.writes('/help');
    await stage.untilLater(
      'the command gets its reply',
      () => stage.told(ada, EN.help({ voices: false })) > 0,
    );
    await other.stop();
    await expectService();

    expect(stage.told(ada, EN.help({ voices: false }))).toBe(1);
  });
});

describe('while updates are pushed', () => {
  afterEach(() => stage.close());

  test('a wrong token is logged once, and the bot recovers when it is right', async () => {
    stage = await IntakeStage.open({ mode: 'webhook', clock: new FakeClock(), isWorking: false });
    stage.telegram.faults.on('*', UNAUTHORIZED, { times: 5 });
    stage.app.worker.start();
    await untilCondition('degraded', 'TELEGRAM_BOT_TOKEN');
    await expectService();

    expect(lines()).toEqual([
      'the bot has a problem: Telegram does not know the token; check TELEGRAM_BOT_TOKEN [Telegram]',
      'the bot is connected [Telegram]',
    ]);
  });

  test('a webhook that Telegram refuses is shown, and logged once', async () => {
    stage = await IntakeStage.open({ mode: 'webhook', clock: new FakeClock(), isWorking: false });
    const description = 'Bad Request: bad webhook: HTTPS url must be provided for webhook';
    const refusal = { kind: 'status', code: 400, description } as const;
    stage.telegram.faults.on('setWebhook', refusal, { times: 4 });
    stage.app.worker.start();
    await untilCondition('degraded', 'HTTPS url must be provided');
    await expectService();

    expect(lines().filter((line) => line.includes('HTTPS'))).toHaveLength(2);
  });

  test('a revoked token is noticed without any update', async () => {
    stage = await IntakeStage.open({ mode: 'webhook', clock: new FakeClock() });
    await untilCondition('ok');
    const { token } = stage.telegram;
    stage.telegram.revokeToken();
    await stage.untilLater('the revoked token is noticed', async () => {
      const { status, condition, trouble } = await stage.ready();
      expect(status).toBe(200);
      return condition === 'degraded' && trouble.includes('token');
    });
    stage.telegram.token = token;
    await expectService();
  });
});
