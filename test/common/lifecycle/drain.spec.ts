import { Logger } from '@nestjs/common';
import { Drain, DrainFailedError, type DrainPhase } from '../../../src/common/lifecycle';
import { FakeClock } from '../../../tools/support/fake-clock';
import { gate } from '../../../tools/http-fake/gate';
import { turnOfLoop } from '../../support/until';

const PHASES: DrainPhase[] = [
  'connections',
  'deliveries',
  'handBack',
  'flows',
  'intake',
  'streams',
  'buffers',
  'claims',
];

let clock: FakeClock;
let drain: Drain;
let done: string[];

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterAll(() => {
  Logger.overrideLogger(new Logger());
});

beforeEach(() => {
  clock = new FakeClock();
  drain = new Drain(clock, 60_000);
  done = [];
});

function note(phase: DrainPhase, step: () => void | Promise<void> = () => undefined): void {
  drain.register(phase, `the ${phase}`, async () => {
    await step();
    done.push(phase);
  });
}

describe('a shutdown', () => {
  test('ends its phases in their order, whatever the order of registration, connections last', async () => {
    for (const phase of PHASES) note(phase);
    note('requests');

    drain.onModuleDestroy();
    await drain.beforeApplicationShutdown('SIGTERM');
    done.push('(HTTP closed)');
    await drain.onApplicationShutdown();

    expect(done).toEqual([
      'intake',
      'claims',
      'requests',
      'buffers',
      'flows',
      'deliveries',
      'streams',
      'handBack',
      '(HTTP closed)',
      'connections',
    ]);
  });

  test('drains once, and all callers wait for the same end', async () => {
    const flows = gate();
    note('flows', () => flows.opened);
    note('connections');
    let ended = 0;
    const count = (): void => {
      ended += 1;
    };

    const both = [
      drain.begin('SIGTERM').then(count),
      drain.beforeApplicationShutdown().then(count),
    ];
    await turnOfLoop();
    const endedEarly = ended;
    flows.open();
    await Promise.all(both);
    await Promise.all([drain.onApplicationShutdown(), drain.onApplicationShutdown()]);

    expect(endedEarly).toBe(0);
    expect(done).toEqual(['flows', 'connections']);
  });

  test('counts as draining from the first moment', () => {
    expect(drain.isDraining).toBe(false);

    void drain.begin('SIGTERM');

    expect(drain.isDraining).toBe(true);
  });

  test('continues after a failed step, releases everything, and fails at the end', async () => {
    note('claims', () => {
      throw new Error('no');
    });
    note('flows', () => Promise.reject(new Error('no')));
    note('connections');

    await drain.begin('SIGTERM');
    const end = drain.onApplicationShutdown();

    await expect(end).rejects.toThrow(DrainFailedError);
    await expect(end).rejects.toThrow('claims of the claims, flows of the flows');
    expect(done).toEqual(['connections']);
  });

  test('tells its steps how long is left, and aborts at the deadline', async () => {
    const left: number[] = [];
    drain.register('flows', 'flows', async ({ signal, remainingMs, totalMs }) => {
      left.push(totalMs, remainingMs());
      await clock.sleep(120_000, signal);
      left.push(remainingMs());
    });

    const draining = drain.begin('SIGTERM');
    await turnOfLoop();
    clock.advance(60_000);
    await draining;
    await drain.onApplicationShutdown();

    expect(left).toEqual([60_000, 60_000, 0]);
  });

  test('abandons a step that ignores the deadline, and fails', async () => {
    note('flows', () => new Promise<never>(() => undefined));
    note('handBack');

    const draining = drain.begin('SIGTERM');
    await turnOfLoop();
    clock.advance(60_000);
    await turnOfLoop();
    const before = [...done];
    clock.advance(1000);
    await draining;

    expect(before).toEqual([]);
    expect(done).toEqual(['handBack']);
    await expect(drain.onApplicationShutdown()).rejects.toThrow('flows of the flows');
  });

  test('in a hurry waits only for what can be handed back at once, and fails', async () => {
    const hurried: boolean[] = [];
    note('claims', () => new Promise<never>(() => undefined));
    drain.register('flows', 'flows', ({ signal }) => clock.sleep(60_000, signal));
    drain.register('handBack', 'jobs', async ({ isHurried }) => {
      hurried.push(isHurried);
      await new Promise<never>(() => undefined);
    });

    const draining = drain.begin('SIGTERM');
    await turnOfLoop();
    drain.hurry();
    drain.hurry();
    for (let step = 0; step < 4; step += 1) {
      await turnOfLoop();
      clock.advance(500);
    }
    await draining;

    expect(hurried).toEqual([true]);
    await expect(drain.onApplicationShutdown()).rejects.toThrow('hurried, ');
  });

  test('fails at its end when it was marked as failed', async () => {
    drain.fail('uncaught error');

    await drain.begin();

    await expect(drain.onApplicationShutdown()).rejects.toThrow('uncaught error');
  });
});
