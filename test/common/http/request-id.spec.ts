import fastify from 'fastify';
import { requestIdOf, traceRequests } from '../../../src/common/http';
import { flowFields } from '../../../src/common/tracing';
import { type TestApp, startTestApp } from '../../support/app';

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

describe('the id of a request', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
  });
  afterAll(() => app.close());

  async function idOf(path: string, given?: string): Promise<string | null> {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    return (await fetch(app.url + path, { headers })).headers.get('x-request-id');
  }

  test.each([
    '0b54a6b4-8f0c-4a39-9d2b-0f5f7a1c2d3e',
    '01JDRZ8Q4M3T6S7V8W9X0Y1Z2A',
    'run_17:step.3/retry-2',
    'Root=1-67891233+abc',
    'x',
    'a'.repeat(128),
  ])('is the one of the caller: %s', async (given) => {
    expect(await idOf('/health/live', given)).toBe(given);
    expect(await idOf('/api/v1/conversation', given)).toBe(given);
    expect(await idOf('/nowhere', given)).toBe(given);
    expect(await idOf('/api/v1/invites/%zz', given)).toBe(given);
  });

  test.each([
    ['empty', ''],
    ['too long', 'a'.repeat(129)],
    ['with a space', 'a b'],
    ['a list', 'one, two'],
    ['an address of a person', 'ada@example.org'],
    ['markup', '<script>'],
    ['not ASCII', 'caf\u00e9'],
    ['of quotation marks', '"id"'],
  ])('is a new one where the given one is %s', async (_, given) => {
    expect(await idOf('/api/v1/conversation', given)).toMatch(UUID);
  });

  test('is a new one for each request without any, also for an address that cannot be read', async () => {
    const ids = [
      await idOf('/health/live'),
      await idOf('/health/live'),
      await idOf('/nowhere'),
      await idOf('/api/v1/invites/%zz'),
    ];

    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('log lines of a request carry the id that the caller gave', async () => {
  const server = fastify({ genReqId: requestIdOf });
  traceRequests(server);
  server.get('/', () => flowFields());

  const response = await server.inject({ url: '/', headers: { 'x-request-id': 'mine-1' } });
  await server.close();

  expect(response.json()).toMatchObject({ request: 'mine-1' });
});
