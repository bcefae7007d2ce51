import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { problemOf } from './raw-posts';

const LIMIT = 50;
const TOKEN = 'a-management-token-of-these-tests-only';
let app: TestApp;
let candidate: TestCandidate;

/** From an address of its own, which the one trusted proxy has seen. */
const from = (address: string, spoofed = '203.0.113.9') => ({
  'x-forwarded-for': `${spoofed}, ${address}`,
});

beforeAll(async () => {
  const env = {
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    TRUST_PROXY: '1',
    MANAGEMENT_TOKEN: TOKEN,
  };
  app = await startTestApp({ isWorking: false, env });
  candidate = await TestCandidate.begin(app);
});

afterAll(() => app.close());

async function statuses(path: string, headers: (n: number) => Record<string, string>) {
  const seen: number[] = [];
  for (let n = 0; n <= LIMIT; n += 1) {
    const response = await fetch(`${app.url}${path}`, { headers: headers(n) });
    await response.arrayBuffer();
    seen.push(response.status);
  }
  return seen;
}

test.each(['/nothing', '/webhooks/nothing', '/health/nothing'])(
  'requests for the unknown address %s are limited',
  async (path) => {
    const seen = await statuses(path, () => from(`192.0.2.${path.length}`));

    expect(seen).toEqual([...Array.from({ length: LIMIT }, () => 404), 429]);
  },
);

test('a client cannot choose its own address behind one proxy', async () => {
  const seen = await statuses('/nothing', (n) => from('192.0.2.99', `203.0.113.${n}`));

  expect(seen.at(-1)).toBe(429);
});

test.each([
  ['POST', '/api/v1/conversation/messages/%00/correction'],
  ['POST', '/api/chat/a%00b/stop'],
  ['GET', '/api/v1/invites/%00'],
])('%s %s is refused, not failed', async (method, path) => {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      ...from('192.0.2.200'),
      authorization: `Bearer ${candidate.token}`,
      'content-type': 'application/json',
    },
    ...(method === 'POST' ? { body: '{"text":"Rye."}' } : {}),
  });

  expect(response.status).toBe(400);
  expect((await problemOf(response)).code).toBe('malformed_request');
});

test.each(['1e-320', '0', '1e-9', '86400'])(
  'a voice of %s seconds is accepted',
  async (duration) => {
    const response = await fetch(
      `${app.url}/api/v1/conversation/voice?id=v${duration}&duration=${duration}`,
      {
        method: 'POST',
        headers: {
          ...from('192.0.2.201'),
          authorization: `Bearer ${candidate.token}`,
          'content-type': 'audio/webm',
        },
        body: 'sound',
      },
    );

    expect(response.status).toBe(202);
  },
);

test('the attention endpoints document their refusals', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, ...from('192.0.2.202') };
  const response = await fetch(`${app.url}/docs/openapi.json`, { headers });
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const refusals = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1/admin/attention'))
    .flatMap(([path, methods]) =>
      Object.values(methods).map(({ responses }) => [
        path.replace('/api/v1/admin/attention', ''),
        Object.keys(responses)
          .filter((status) => !status.startsWith('2'))
          .join(' '),
      ]),
    );

  const ofAct = '401 404 409 default';
  expect(Object.fromEntries(refusals)).toEqual({
    '': '401 default',
    '/{id}': '401 404 default',
    '/{id}/claim': ofAct,
    '/{id}/release': ofAct,
    '/{id}/take-over': ofAct,
    '/{id}/typing': '401 404 default',
    '/{id}/replay': ofAct,
    '/{id}/close': ofAct,
    '/{id}/reply': ofAct,
    '/{id}/answer': ofAct,
    '/{id}/return': ofAct,
  });
});
