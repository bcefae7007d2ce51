import { Metrics } from '../../src/common/metrics';
import { HealthController } from '../../src/health/health.controller';
import { type TestApp, startTestApp } from '../support/app';
import { FakeClock } from '../../tools/support/fake-clock';
import { rowsOf } from '../support/outside';

const TOKEN = 'a-management-token-of-these-tests-only';
const PROTECTED = ['/metrics', '/docs', '/docs/openapi.json', '/docs-json', '/docs-yaml'];

async function statusOf(app: TestApp, path: string, authorization?: string): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization };
  const response = await fetch(`${app.url}${path}`, { headers });
  await response.arrayBuffer();
  return response.status;
}

const basic = (password: string): string =>
  `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`;

describe('with a management token', () => {
  let app: TestApp;
  const clock = new FakeClock();

  beforeAll(async () => {
    const env = { MANAGEMENT_TOKEN: TOKEN };
    app = await startTestApp({ isWorking: false, clock, env });
  });

  afterAll(() => app.close());

  test.each(PROTECTED)('%s requires it, also on this machine', async (path) => {
    const known = (await statusOf(app, path, `Bearer ${TOKEN}`)) === 200;

    clock.advance(60_000);
    const refused = [undefined, 'Bearer x', basic('x'), `Bearer ${TOKEN}x`, 'Basic', ''];
    const statuses = await Promise.all(refused.map((shown) => statusOf(app, path, shown)));

    expect(new Set(statuses)).toEqual(new Set([known ? 401 : 404]));
    if (known) expect(await statusOf(app, path, basic(TOKEN))).toBe(200);
  });

  test('probes return only their status without it', async () => {
    const ready = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${app.url}/health/ready`, { headers });
      return { status: response.status, body: await response.json() };
    };
    await app.worker.tick();
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await ready(`Bearer ${TOKEN}`)).toHaveProperty('body.details');
    expect(await statusOf(app, '/health/startup')).toBe(200);
    expect(await statusOf(app, '/health/live')).toBe(200);

    await rowsOf(app.databaseUrl, 'alter table migrations rename to migrations_kept');
    const [away, awayInDetail] = [await ready(), await ready(`Bearer ${TOKEN}`)];
    await rowsOf(app.databaseUrl, 'alter table migrations_kept rename to migrations');

    expect(away).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(away.body).not.toHaveProperty('checks');
    expect(awayInDetail.body).toHaveProperty('checks');
  });

  test('wrong ones are counted for all pages together; a probe then only hides its details', async () => {
    const other = await startTestApp({
      isWorking: false,
      clock: new FakeClock(),
      env: { MANAGEMENT_TOKEN: TOKEN },
    });
    const ready = async (shown: string) => {
      const headers = { authorization: `Bearer ${shown}` };
      const response = await fetch(`${other.url}/health/ready`, { headers });
      return { status: response.status, body: await response.json() };
    };
    await other.worker.tick();
    for (let guess = 0; guess < 4; guess += 1) await ready(`guess-${String(guess)}`);
    const statuses = [];
    for (let guess = 0; guess < 8; guess += 1) {
      const path = guess % 2 === 0 ? '/metrics' : '/docs/openapi.json';
      statuses.push(await statusOf(other, path, basic(`guess-${String(guess)}`)));
    }
    const right = await statusOf(other, '/metrics', `Bearer ${TOKEN}`);
    const [probe, withoutToken] = [await ready(TOKEN), await statusOf(other, '/metrics')];
    await other.close();

    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
    expect([right, withoutToken]).toEqual([429, 401]);
    expect(probe).toEqual({ status: 200, body: { status: 'ok' } });
  });

  test('a caller with the right one is not blocked by wrong ones of others', async () => {
    clock.advance(60_000);
    expect(await statusOf(app, '/metrics', `Bearer ${TOKEN}`)).toBe(200);
    for (let guess = 0; guess < 12; guess += 1) {
      await statusOf(app, '/metrics', `Bearer guess-${String(guess)}`);
    }

    expect(await statusOf(app, '/metrics', `Bearer ${TOKEN}`)).toBe(200);
    clock.advance(60_000);
  });

  test('scrapes at the same time read the figures once, and later ones read them again', async () => {
    const controller = app.get(HealthController);
    const read = jest.spyOn(app.get(Metrics), 'exposition');

    const [one, other] = await Promise.all([controller.exposition(), controller.exposition()]);
    await controller.exposition();

    expect(other).toBe(one);
    expect(one).toContain('colloquy_build_info');
    expect(read).toHaveBeenCalledTimes(2);
    read.mockRestore();
  });
});

test.each([
  ['127.0.0.1', 'false', 200],
  ['::1', 'false', 200],
  ['0.0.0.0', 'false', 404],
  ['127.0.0.1', '1', 404],
])('without a management token, HOST=%s and TRUST_PROXY=%s: %i', async (host, proxy, status) => {
  const app = await startTestApp({ isWorking: false, env: { HOST: host, TRUST_PROXY: proxy } });
  const statuses = [await statusOf(app, '/metrics'), await statusOf(app, '/docs/openapi.json')];
  const live = (await (await fetch(`${app.url}/health/live`)).json()) as object;
  await app.worker.tick();
  const ready = (await (await fetch(`${app.url}/health/ready`)).json()) as object;
  await app.close();

  expect(statuses).toEqual([status, status]);
  expect(live).toMatchObject({ status: 'ok' });
  expect('version' in live).toBe(status === 200);
  expect(ready).toMatchObject({ status: 'ok' });
  expect('details' in ready).toBe(status === 200);
});
