import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { EventSourceReader } from './event-source';

/** Two replicas whose signals go through proxies that a test can cut. */
let writing: TestApp;
let other: TestApp;
let reader: EventSourceReader | null = null;
const proxies: CuttingProxy[] = [];

async function throughProxy(databaseUrl: string): Promise<string> {
  const proxy = await CuttingProxy.start(databaseUrl);
  proxies.push(proxy);
  return proxy.url;
}

function proxyOf(app: TestApp): CuttingProxy {
  const proxy = proxies[app === writing ? 0 : 1];
  if (proxy === undefined) throw new Error('no such proxy');
  return proxy;
}

beforeAll(async () => {
  writing = await startTestApp({ signalsUrl: throughProxy });
  other = await startReplica(writing, { isWorking: false, signalsUrl: throughProxy });
});
afterEach(async () => {
  reader?.close();
  for (const proxy of proxies) {
    await proxy.goDown();
    await proxy.comeUp();
  }
});
afterAll(async () => {
  await other.close();
  await writing.close();
  for (const proxy of proxies) await proxy.close();
});

/** A candidate whose reader on the other replica expects no change. */
async function idleReader(): Promise<{ candidate: TestCandidate; told: EventSourceReader }> {
  const candidate = await TestCandidate.begin(writing);
  reader = await EventSourceReader.open(`${other.url}/api/v1/conversation/events`, {
    authorization: `Bearer ${candidate.token}`,
  });
  return { candidate, told: await reader.until(({ frames }) => frames.length > 0) };
}

/** A whole turn on the writing replica. */
async function turn(candidate: TestCandidate): Promise<void> {
  const own = await EventSourceReader.open(`${writing.url}/api/v1/conversation/events`, {
    authorization: `Bearer ${candidate.token}`,
  });
  await candidate.send('m1', 'Rye.');
  await own.until((told) => told.of('finish').length === 1);
  own.close();
}

function hasReply(told: EventSourceReader): boolean {
  return (
    told.of('finish').length > 0 || told.of('message').some(({ data }) => data.role !== 'user')
  );
}

describe('an idle reader on another replica sees a turn', () => {
  test('that happened while its replica got no signals, and still gets none', async () => {
    const { candidate, told } = await idleReader();
    await proxyOf(other).goDown();

    await turn(candidate);

    expect(hasReply(await told.until(hasReply))).toBe(true);
  });

  test('whose signals the writing replica could not send', async () => {
    const { candidate, told } = await idleReader();
    await proxyOf(writing).goDown();
    await turn(candidate);
    expect(hasReply(told)).toBe(false);

    await proxyOf(writing).comeUp();

    expect(hasReply(await told.until(hasReply))).toBe(true);
  });
});
