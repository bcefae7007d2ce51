import { EnrolmentRepository } from '../../../src/notion-sync';
import { EnrolmentNonce } from '../../../src/notion-sync/intake/webhook-token';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type CliRun, runCli } from '../../support/run-cli';
import { isClosed, watchUnits } from '../../support/seen-units';
import { EVENTS, NotionEvents } from './notion-events';

const MINUTE_MS = 60_000;

let setup: NotionEvents;

afterEach(() => setup.close());

/** Opens enrolment; returns the path that the operator is shown. */
async function open(clock: FakeClock): Promise<string> {
  const opened = await setup.app.commit((tx) => new EnrolmentRepository(clock).open(tx));
  return `${EVENTS}?enrol=${opened.nonce}`;
}

const handshake = (token: string, path: string = EVENTS) =>
  setup.post(path, JSON.stringify({ verification_token: token }));
const event = () => setup.event('page.created', setup.board.id);

describe('the handshake', () => {
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    setup = await NotionEvents.start({ clock, env: { NOTION_WEBHOOK_TOKEN: '' } });
  });

  test('is refused with 403 and counted while enrolment is closed', async () => {
    const response = await handshake('secret_1234567890');

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'enrolment_closed' });
    expect(await setup.events('not_enrolling')).toBe(1);
    expect(setup.app.log.count('enrolment is not open')).toBe(1);
    expect((await setup.send(event(), setup.app, 'secret_1234567890')).status).toBe(401);
  });

  test('stores the token that signs events from then on', async () => {
    expect((await setup.send(event())).status).toBe(401);
    const path = await open(clock);
    expect(await setup.notion.webhooks.shakeHands(`${setup.app.url}${path}`)).toBe(200);

    expect((await setup.send(event())).status).toBe(200);
    expect(await setup.events('enrolled')).toBe(1);
    expect((await setup.send(event(), setup.app, 'secret_another')).status).toBe(401);
  });

  test('has one unit of work, and so has each event', async () => {
    const path = await open(clock);
    const { units } = setup.app;
    const { openUnits } = units;
    const seen = watchUnits(units, (label) => /^(http|notion\.)/.test(label));
    const responses = [
      await handshake('secret_of_the_first', path),
      await setup.send(event(), setup.app, 'secret_of_the_first'),
      await setup.send(event(), setup.app, 'secret_of_the_first'),
      await handshake('secret_of_the_second'),
    ];
    jest.restoreAllMocks();

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 403]);
    expect(seen.map(({ unit, commits }) => [unit.label, commits])).toEqual([
      ['http POST /webhooks/notion', ['notion.nonce', 'notion.enrol']],
      ['http POST /webhooks/notion', ['notion.token', 'notion.take']],
      ['http POST /webhooks/notion', ['notion.take']],
      ['http POST /webhooks/notion', []],
    ]);
    expect(seen.every(({ unit }) => isClosed(unit))).toBe(true);
    await setup.app.until('no further unit is open', () => units.openUnits <= openUnits);
  });

  test('is accepted once: the first token closes enrolment', async () => {
    const path = await open(clock);
    expect((await handshake('secret_of_the_first', path)).status).toBe(200);
    expect((await handshake('secret_of_the_second', path)).status).toBe(403);

    expect((await setup.send(event(), setup.app, 'secret_of_the_first')).status).toBe(200);
    expect((await setup.send(event(), setup.app, 'secret_of_the_second')).status).toBe(401);
  });

  test('is accepted once when many arrive together', async () => {
    const path = await open(clock);
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, n) => handshake(`secret_number_${String(n)}`, path)),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
  });

  test('is refused ten minutes after enrolment was opened', async () => {
    const first = await open(clock);
    clock.advance(10 * MINUTE_MS);
    expect((await handshake('secret_1234567890', first)).status).toBe(403);

    const second = await open(clock);
    clock.advance(10 * MINUTE_MS - 1);
    expect((await handshake('secret_1234567890', first)).status).toBe(403);
    expect((await handshake('secret_1234567890', second)).status).toBe(200);
  });

  test('replaces the old token on every replica', async () => {
    const other = await setup.another();
    await handshake('secret_of_the_first', await open(clock));
    expect((await setup.send(event(), other, 'secret_of_the_first')).status).toBe(200);
    clock.advance(5000);
    await handshake('secret_of_the_second', await open(clock));

    expect((await setup.send(event(), other, 'secret_of_the_second')).status).toBe(200);
    clock.advance(10_000);
    expect((await setup.send(event(), other, 'secret_of_the_first')).status).toBe(401);
  });

  test.each([
    ['too short', { verification_token: 'abc' }],
    ['too long', { verification_token: 'x'.repeat(300) }],
    ['not text', { verification_token: 7 }],
    ['unprintable', { verification_token: 'secret\n1234567890' }],
    ['missing', { challenge: 'secret_1234567890' }],
  ])('is refused with 401 when its token is %s', async (_how, body) => {
    await open(clock);

    expect((await setup.post(EVENTS, JSON.stringify(body))).status).toBe(401);
  });

  test.each([
    ['without a nonce', ''],
    ['with a guessed nonce', `?enrol=${'x'.repeat(32)}`],
    ['with a short guessed nonce', '?enrol=x'],
    ['with two guessed nonces', `?enrol=${'x'.repeat(32)}&enrol=${'y'.repeat(32)}`],
  ])('of a stranger, %s, is refused with 403 while enrolment is open', async (_how, query) => {
    const path = await open(clock);

    expect((await handshake('secret_of_a_stranger', `${EVENTS}${query}`)).status).toBe(403);
    expect(await setup.notion.webhooks.shakeHands(`${setup.app.url}${path}`)).toBe(200);
    expect((await setup.send(event(), setup.app, 'secret_of_a_stranger')).status).toBe(401);
  });

  test('of a stranger writes nothing: the statement that stores a token checks the nonce too', async () => {
    await open(clock);
    const guess = 'x'.repeat(32);
    const nonces = setup.app.get(EnrolmentNonce);

    expect(await setup.app.units.run('test', (uow) => nonces.isOpen(uow, guess))).toBe(false);
    const enrolled = setup.app.commit((tx) =>
      new EnrolmentRepository(clock).enrol(tx, 'secret_of_a_stranger', guess),
    );
    expect(await enrolled).toBe(false);
  });

  test('of Notion is accepted even during a flood of handshakes by a stranger', async () => {
    const path = await open(clock);
    const guess = `${EVENTS}?enrol=${'x'.repeat(32)}`;
    const flood = (): Promise<Response>[] =>
      Array.from({ length: 60 }, () => handshake('secret_of_a_stranger', guess));

    const before = flood();
    const own = setup.notion.webhooks.shakeHands(`${setup.app.url}${path}`);
    const strangers = await Promise.all([...before, ...flood()]);

    expect(await own).toBe(200);
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([403]));
  });

  test('is never quoted in a log line', async () => {
    await handshake('secret_never_to_be_told');
    await handshake('secret_never_to_be_told', await open(clock));
    await setup.send(event(), setup.app, 'secret_never_to_be_told');

    expect(setup.app.log.lines.join('\n')).not.toContain('never_to_be_told');
  });
});

test('NOTION_WEBHOOK_TOKEN is used instead of an enrolled token', async () => {
  const clock = new FakeClock();
  setup = await NotionEvents.start({ clock });
  const path = await open(clock);
  expect((await handshake('secret_of_the_first', path)).status).toBe(200);

  expect((await setup.send(event(), setup.app, 'secret_of_the_first')).status).toBe(401);
  expect((await setup.send(event())).status).toBe(200);
});

test('without a token the readiness probe responds with 200 and says what to do', async () => {
  setup = await NotionEvents.start({
    env: { NOTION_WEBHOOK_TOKEN: '', NOTION_AUTOMATION_SECRET: '' },
  });
  const { stdout, ready } = { stdout: await enrol('--status'), ready: await setup.ready() };
  expect(ready.status).toBe(200);
  expect(ready.trouble).toContain('./colloquy notion enrol');
  expect(stdout.out).toContain('Token      none');

  const { out } = await enrol();
  await setup.notion.webhooks.shakeHands(`${setup.app.url}${pathIn(out)}`);
  expect((await setup.ready()).trouble).toBeNull();
});

describe('./colloquy notion enrol', () => {
  beforeEach(async () => {
    setup = await NotionEvents.start({ env: { NOTION_WEBHOOK_TOKEN: '' }, isWorking: false });
  });

  test('opens enrolment for a running application, and says what to do next', async () => {
    const { code, out, err } = await enrol();

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Enrolment is open until 20\d\d-\d\d-\d\d \d\d:\d\d UTC, for one token\./);
    expect(out).toMatch(/https:\/\/jobs\.example\.com\/webhooks\/notion\?enrol=[\w-]{32}\n/);
    expect(out).toContain('./colloquy notion enrol --show');
    expect(await setup.notion.webhooks.shakeHands(`${setup.app.url}${pathIn(out)}`)).toBe(200);
    expect((await setup.send(event())).status).toBe(200);
  });

  test('shows the state with the token masked, and in full with --show alone', async () => {
    const { out } = await enrol();
    expect((await enrol('--status')).out).toMatch(/Token {6}none\nEnrolment {2}open until 20/);
    await setup.notion.webhooks.shakeHands(`${setup.app.url}${pathIn(out)}`);
    const { token } = setup.notion.webhooks;
    const [masked, shown] = [await enrol('--status'), await enrol('--show')];

    expect(masked.out).toContain(`Token      ${token.slice(0, 4)}…${token.slice(-4)}, enrolled 20`);
    expect(masked.out).toContain('Enrolment  closed');
    expect(masked.out).not.toContain(token);
    expect(shown.out).toContain(`Token      ${token}, enrolled 20`);
  });

  test('closes enrolment with --close', async () => {
    const { out } = await enrol();
    expect((await enrol('--close')).out).toContain('Enrolment  closed');

    expect((await handshake('secret_1234567890', pathIn(out))).status).toBe(403);
  });

  test('says when a setting makes enrolment useless', async () => {
    const { out } = await enrol('--status', { NOTION_WEBHOOK_TOKEN: 'set', NOTION_TOKEN: '' });

    expect(out).toContain('NOTION_WEBHOOK_TOKEN is set, so it is used');
    expect(out).toContain('NOTION_TOKEN is not set here');
  });

  test('refuses an unknown argument with one sentence', async () => {
    for (const args of [['--shwo'], ['--close', '--show'], ['now']]) {
      const { code, err } = await runCli(['notion', 'enrol', ...args], env({}));
      expect(code).toBe(2);
      expect(err).toContain('Run "./colloquy notion enrol --help"');
      expect(err).not.toMatch(/\n\s+at /);
    }
  });
});

/** The path of the address that the command has printed. */
function pathIn(out: string): string {
  return /\/webhooks\/notion\?enrol=[\w-]+/.exec(out)?.[0] ?? 'no address';
}

function env(more: Record<string, string>): Record<string, string> {
  return {
    DATABASE_URL: setup.app.databaseUrl,
    PUBLIC_URL: 'https://jobs.example.com',
    NOTION_TOKEN: 'ntn_of_the_command',
    NOTION_DATA_SOURCE_ID: setup.board.id,
    ...more,
  };
}

function enrol(flag?: string, more: Record<string, string> = {}): Promise<CliRun> {
  return runCli(['notion', 'enrol', ...(flag === undefined ? [] : [flag])], env(more));
}
