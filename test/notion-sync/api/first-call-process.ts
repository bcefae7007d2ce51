import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import type { NotionLimiter } from '../../../src/notion-sync/api/limiter/notion-limiter';
import { FakeClock } from '../../../tools/support/fake-clock';
import { settingsForTests } from '../../support/settings';

/** Asks for a permit and prints whether the HTTP client was loaded before the process asked, and by then. */
const isLoaded = (): boolean =>
  Object.keys(require.cache).some((file) => file.includes('/node_modules/undici/'));
const limiter = {
  whenPermitted: () => {
    process.stdout.write(JSON.stringify({ atFirst, forThePermit: isLoaded() }));
    return Promise.resolve('called');
  },
} as unknown as NotionLimiter;
const atFirst = isLoaded();
const client = new NotionClient(
  settingsForTests(),
  limiter,
  new NotionHealth(new PeerHealth()),
  new NotionMetrics(new Metrics()),
  new FakeClock(),
);
void client.run({}, { endpoint: 'who_am_i' }, () => Promise.resolve('called'));
