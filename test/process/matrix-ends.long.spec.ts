import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { giveBack, takeAway } from '../support/outside';
import { ServerProcess } from '../support/server-process';
import { ALL_POINTS, HEARD, type Point, VOICES, letPeersGo } from './matrix-points';
import { Shutdown, seenOf } from './matrix-shutdown';
import { Deployment, type TelegramMode } from './deployment';

jest.setTimeout(120_000);

/** The points after an update was received: only received work can be interrupted. */
const RECEIVED = ALL_POINTS.filter((point) => point !== 'before the commit of an update');
/** The process cannot know whether Telegram got the message, so it is sent once more. */
const UNKNOWN = 'in a delivery that has arrived' satisfies Point;

let deployment: Deployment;
let shutdown: Shutdown;

async function prepare(
  mode: TelegramMode,
  points: readonly Point[],
  env: Record<string, string>,
): Promise<void> {
  deployment = await Deployment.open(mode);
  shutdown = await Shutdown.prepare(deployment, points, env);
}

/** Starts the next process and waits until it has finished all that the previous one left. */
async function goOn(): Promise<void> {
  const next = await deployment.serve();
  deployment.balancer.leadTo(next.port);
  for (const point of VOICES) {
    if (shutdown.has(point)) await shutdown.person(point).untilStored(HEARD);
  }
  await deployment.endWindows();
  for (const person of shutdown.everybody) await person.untilReplied();
  expect([await next.server.stop(), next.server.err]).toEqual([0, '']);
}

async function expectOneReply(point: Point): Promise<void> {
  const person = shutdown.person(point);
  expect(await seenOf(person)).toMatchObject({
    texts: (VOICES as readonly Point[]).includes(point) ? [HEARD] : person.said,
    replies: [point === UNKNOWN ? 2 : 1],
    withoutReply: 0,
  });
  expect(await person.interviewRequests()).toBe(1);
}

/** Claims that still belong to a process. */
function claims(): Promise<unknown[]> {
  return deployment.sql(
    `select queue, key from job where state = 'running' and worker is not null order by id`,
  );
}

describe('a shutdown whose deadline passes', () => {
  let left: unknown[];

  beforeAll(async () => {
    // The lease is longer than the test waits, so work that continues was handed back.
    await prepare('polling', RECEIVED, { SHUTDOWN_DEADLINE: '1', JOB_LEASE: '60' });
    await shutdown.endUnreleased();
    left = await claims();
    await letPeersGo(deployment);
    await goOn();
  });
  afterAll(() => deployment.close());

  test('hands everything back and exits 0', () => {
    expect([shutdown.code, shutdown.errors, left]).toEqual([0, '', []]);
  });

  test.each(RECEIVED)(
    '%s: the next process continues, and nothing is lost or sent twice',
    expectOneReply,
  );

  test('records an end for every model request in the ledger', async () => {
    const outcomes = await shutdown.person('in the model stream').outcomes('interview');
    const heard = await shutdown.person('in transcription').outcomes('transcribe');

    expect([outcomes, heard]).toEqual([
      ['aborted', 'ok'],
      ['aborted', 'ok'],
    ]);
  });
});

describe('a second SIGTERM', () => {
  const POINTS_IN_WORK = [
    'in retrieval',
    'in the model stream',
    'in a delivery that has not arrived',
    'in the reply to a command',
    'in transcription',
  ] as const satisfies readonly Point[];

  beforeAll(async () => {
    await prepare('webhook', POINTS_IN_WORK, { SHUTDOWN_DEADLINE: '600', JOB_LEASE: '1.5' });
    await shutdown.endUnreleased({ again: true });
    await letPeersGo(deployment);
    await goOn();
  });
  afterAll(() => deployment.close());

  test('makes the process exit 1 at once', () => {
    expect(shutdown.code).toBe(1);
  });

  test.each(POINTS_IN_WORK)('%s: the next process continues, and nothing is lost', expectOneReply);
});

describe('a database that goes away during a shutdown', () => {
  const POINTS_IN_WORK = [
    'in the model stream',
    'in a delivery that has not arrived',
    'in transcription',
    'in the debounce window',
  ] as const satisfies readonly Point[];
  let left: unknown[];

  beforeAll(async () => {
    await prepare('polling', POINTS_IN_WORK, { SHUTDOWN_DEADLINE: '2', JOB_LEASE: '1.5' });
    await shutdown.endUnreleased({
      meanwhile: async () => {
        await takeAway(deployment.databaseUrl);
        deployment.model.release();
        deployment.model.transcriptions.release();
      },
    });
    await giveBack(deployment.databaseUrl);
    left = await claims();
    await goOn();
  });
  afterAll(() => deployment.close());

  test('makes the process exit 1 at its deadline, and its claims stay until their leases end', () => {
    expect(shutdown.code).toBe(1);
    expect(left).toHaveLength(3);
  });

  test.each(POINTS_IN_WORK)('%s: the next process continues, and nothing is lost', expectOneReply);
});

test('a process whose port is in use exits before it calls Telegram', async () => {
  deployment = await Deployment.open('webhook');
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;

  const server = ServerProcess.start(deployment.environment(port));
  const code = await server.exited;
  holder.close();

  expect(code).toBe(1);
  expect(server.err).toMatch(/^Port \d+ is in use: [^\n]+\n$/);
  expect(deployment.telegram.journal.all).toEqual([]);
  await deployment.close();
});
