import { type TestApp, startTestApp } from '../support/app';
import { ADMIN_TOKEN } from '../support/secrets';

const MANAGEMENT_TOKEN = 'a-token-of-an-operator-of-32-characters';
const PATHS = ['/api/v1/admin/attention', '/metrics'];

let app: TestApp;

afterEach(() => app.close());

async function statusFrom(address: string, path: string, token?: string): Promise<number> {
  const headers = {
    'x-forwarded-for': address,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${app.url}${path}`, { headers });
  await response.arrayBuffer();
  return response.status;
}

test('wrong tokens from 11 addresses of one /64 lock out neither admins nor the metrics', async () => {
  app = await startTestApp({
    isWorking: false,
    clock: 'fake',
    env: { TRUST_PROXY: '1', ADMIN_TOKEN, MANAGEMENT_TOKEN },
  });
  const address = (n: number): string => `2001:db8:1:2::${(n + 1).toString(16)}`;
  for (const path of PATHS) {
    for (let n = 0; n < 110; n += 1) await statusFrom(address(n % 11), path, `guess-${String(n)}`);
  }

  expect(await statusFrom(address(20), PATHS[0] ?? '', ADMIN_TOKEN)).toBe(429);
  expect(await statusFrom('203.0.113.7', PATHS[0] ?? '', ADMIN_TOKEN)).toBe(200);
  expect(await statusFrom('2001:db8:1:3::1', PATHS[0] ?? '', ADMIN_TOKEN)).toBe(200);
  expect(await statusFrom('203.0.113.7', PATHS[1] ?? '', MANAGEMENT_TOKEN)).toBe(200);
});

test('requests are limited by the same networks', async () => {
  app = await startTestApp({
    isWorking: false,
    env: { TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '2' },
  });
  const path = '/api/v1/invites/a-token-of-nobody';
  const statuses = async (...addresses: string[]): Promise<number[]> => {
    const all: number[] = [];
    for (const address of addresses) all.push(await statusFrom(address, path));
    return all;
  };

  const one = await statuses('2001:db8::1', '2001:db8::2:3', '2001:db8:0:0:ffff::4');
  expect([one.slice(0, 2), one[2]]).toEqual([[404, 404], 429]);
  const mapped = await statuses('192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201');
  expect([mapped.slice(0, 2), mapped[2]]).toEqual([[404, 404], 429]);
  expect(await statuses('2001:db8:0:1::1', '192.0.2.2')).toEqual([404, 404]);
});
