import { NotionEnrolment } from '../../../src/notion-sync';
import { FakeClock } from '../../support/clock';
import { type CliRun, runCli } from '../../support/run-cli';
import { EVENTS, NotionStage } from './notion-stage';

const MINUTE_MS = 60_000;

let stage: NotionStage;

afterEach(() => stage.close());

const open = (clock: FakeClock) => stage.app.commit((tx) => new NotionEnrolment(clock).open(tx));
const handshake = (token: string) =>
  stage.post(EVENTS, JSON.stringify({ verification_token: token }));
const event = () => stage.event('page.created', stage.board.id);

describe('the handshake', () => {
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    stage = await NotionStage.open({ clock, env: { NOTION_WEBHOOK_TOKEN: '' } });
  });

  test('is refused with 403 and counted while nobody has opened enrolment', async () => {
    const answer = await handshake('secret_1234567890');

    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'enrolment_closed' });
    expect(await stage.events('not_enrolling')).toBe(1);
    expect(stage.told('nobody has opened enrolment')).toBe(1);
    expect((await stage.send(event(), stage.app, 'secret_1234567890')).status).toBe(401);
  });

  test('brings the token that signs events from then on', async () => {
    expect((await stage.send(event())).status).toBe(401);
    await open(clock);
    expect(await stage.notion.webhooks.shakeHands(`${stage.app.url}${EVENTS}`)).toBe(200);

    expect((await stage.send(event())).status).toBe(200);
    expect(await stage.events('enrolled')).toBe(1);
    expect((await stage.send(event(), stage.app, 'secret_another')).status).toBe(401);
  });

  test('is taken once: enrolment closes itself with the first token', async () => {
    await open(clock);
    expect((await handshake('secret_of_the_first')).status).toBe(200);
    expect((await handshake('secret_of_the_second')).status).toBe(403);

    expect((await stage.send(event(), stage.app, 'secret_of_the_first')).status).toBe(200);
    expect((await stage.send(event(), stage.app, 'secret_of_the_second')).status).toBe(401);
  });

  test('of many that come together one is taken', async () => {
    await open(clock);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => handshake(`secret_number_${String(n)}`)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
  });

  test('is refused when ten minutes are over', async () => {
    await open(clock);
    clock.advance(10 * MINUTE_MS);
    expect((await handshake('secret_1234567890')).status).toBe(403);

    await open(clock);
    clock.advance(10 * MINUTE_MS - 1);
    expect((await handshake('secret_1234567890')).status).toBe(200);
  });

  test('puts a new token in the place of the old one, on every replica', async () => {
    const other = await stage.another();
    await open(clock);
    await handshake('secret_of_the_first');
    expect((await stage.send(event(), other, 'secret_of_the_first')).status).toBe(200);
    clock.advance(5000);
    await open(clock);
    await handshake('secret_of_the_second');

    expect((await stage.send(event(), other, 'secret_of_the_second')).status).toBe(200);
    clock.advance(10_000);
    expect((await stage.send(event(), other, 'secret_of_the_first')).status).toBe(401);
  });

  test.each([
    ['too short', { verification_token: 'abc' }],
    ['a story', { verification_token: 'x'.repeat(300) }],
    ['no text', { verification_token: 7 }],
    ['unprintable', { verification_token: 'secret\n1234567890' }],
    ['missing', { challenge: 'secret_1234567890' }],
  ])('with a token that is %s is no handshake: 401', async (_how, body) => {
    await open(clock);

    expect((await stage.post(EVENTS, JSON.stringify(body))).status).toBe(401);
  });

  test('cannot be sent in floods: 429, and events are not held up by it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => handshake('secret_1234567890')),
    );
    const statuses = answers.map(({ status }) => status);

    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  test('never shows in a log line what it brought', async () => {
    await handshake('secret_never_to_be_told');
    await open(clock);
    await handshake('secret_never_to_be_told');
    await stage.send(event(), stage.app, 'secret_never_to_be_told');

    expect(stage.log.lines.join('\n')).not.toContain('never_to_be_told');
  });
});

test('NOTION_WEBHOOK_TOKEN wins over what is enrolled', async () => {
  const clock = new FakeClock();
  stage = await NotionStage.open({ clock });
  await open(clock);
  expect((await handshake('secret_of_the_first')).status).toBe(200);

  expect((await stage.send(event(), stage.app, 'secret_of_the_first')).status).toBe(401);
  expect((await stage.send(event())).status).toBe(200);
});

test('without a token readiness says what to do, and stays 200 until an event came in', async () => {
  stage = await NotionStage.open({
    env: { NOTION_WEBHOOK_TOKEN: '', NOTION_AUTOMATION_SECRET: '' },
  });
  const { stdout, ready } = { stdout: await enrol('--status'), ready: await stage.ready() };
  expect(ready.status).toBe(200);
  expect(ready.trouble).toContain('npm run notion:enrol');
  expect(stdout.out).toContain('Token      none');

  await enrol();
  await stage.notion.webhooks.shakeHands(`${stage.app.url}${EVENTS}`);
  expect((await stage.ready()).trouble).toBeNull();
});

describe('npm run notion:enrol', () => {
  beforeEach(async () => {
    stage = await NotionStage.open({ env: { NOTION_WEBHOOK_TOKEN: '' }, isWorking: false });
  });

  test('opens enrolment for a running application, and says what to do next', async () => {
    const { code, out, err } = await enrol();

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Enrolment is open until 20\d\d-\d\d-\d\d \d\d:\d\d UTC, for one token\./);
    expect(out).toContain('https://jobs.example.com/webhooks/notion');
    expect(out).toContain('npm run notion:enrol -- --show');
    expect(await stage.notion.webhooks.shakeHands(`${stage.app.url}${EVENTS}`)).toBe(200);
    expect((await stage.send(event())).status).toBe(200);
  });

  test('shows the state with the token masked, and in full with --show alone', async () => {
    await enrol();
    expect((await enrol('--status')).out).toMatch(/Token {6}none\nEnrolment {2}open until 20/);
    await stage.notion.webhooks.shakeHands(`${stage.app.url}${EVENTS}`);
    const { token } = stage.notion.webhooks;
    const [masked, shown] = [await enrol('--status'), await enrol('--show')];

    expect(masked.out).toContain(`Token      ${token.slice(0, 4)}…${token.slice(-4)}, enrolled 20`);
    expect(masked.out).toContain('Enrolment  closed');
    expect(masked.out).not.toContain(token);
    expect(shown.out).toContain(`Token      ${token}, enrolled 20`);
  });

  test('closes enrolment with --close', async () => {
    await enrol();
    expect((await enrol('--close')).out).toContain('Enrolment  closed');

    expect((await handshake('secret_1234567890')).status).toBe(403);
  });

  test('says when a setting makes it pointless', async () => {
    const { out } = await enrol('--status', { NOTION_WEBHOOK_TOKEN: 'set', NOTION_TOKEN: '' });

    expect(out).toContain('NOTION_WEBHOOK_TOKEN is set: it is what counts');
    expect(out).toContain('NOTION_TOKEN is not set here');
  });

  test('refuses what it does not know in one sentence', async () => {
    for (const args of [['--shwo'], ['--close', '--show'], ['now']]) {
      const { code, err } = await runCli('notion-enrol', args, env({}));
      expect(code).toBe(1);
      expect(err).toContain('Usage: npm run notion:enrol');
      expect(err).not.toMatch(/\n\s+at /);
    }
  });
});

function env(more: Record<string, string>): Record<string, string> {
  return {
    DATABASE_URL: stage.app.databaseUrl,
    PUBLIC_URL: 'https://jobs.example.com',
    NOTION_TOKEN: 'ntn_of_the_command',
    NOTION_DATA_SOURCE_ID: stage.board.id,
    ...more,
  };
}

function enrol(flag?: string, more: Record<string, string> = {}): Promise<CliRun> {
  return runCli('notion-enrol', flag === undefined ? [] : [flag], env(more));
}
