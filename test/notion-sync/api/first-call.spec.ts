import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import type { NotionLimiter } from '../../../src/notion-sync/api/limiter/notion-limiter';
import { FakeClock } from '../../../tools/support/fake-clock';
import { settingsForTests } from '../../support/settings';
import { turnOfLoop } from '../../support/until';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a process loads its HTTP client before it asks for its first permit', async () => {
  const steps: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
    await turnOfLoop();
    steps.push(typeof url === 'string' ? url : 'another address');
    return new Response('');
  });
  const limiter = {
    whenPermitted: () => {
      steps.push('permit');
      return Promise.resolve('called');
    },
  } as unknown as NotionLimiter;
  const call = new NotionClient(
    settingsForTests({}),
    limiter,
    new NotionHealth(new PeerHealth()),
    new NotionMetrics(new Metrics()),
    new FakeClock(),
  );

  await call.run({}, { endpoint: 'who_am_i' }, () => Promise.resolve('called'));

  expect(steps).toEqual(['data:,', 'permit']);
});
