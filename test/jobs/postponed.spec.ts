import { PeerUnavailableError, JobPostponedError } from '../../src/jobs';
import { type TaskRig, laneHandler } from '../support/jobs';
import { TaskFixture } from './fixture';

const WAIT_MS = 20_000;
const HOUR_MS = 3_600_000;

let fixture: TaskFixture;

beforeAll(async () => {
  fixture = await TaskFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

async function pass(rig: TaskRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

/** A lane in which tasks whose key begins with `late` have to wait; the rest is done. */
function laneOf(rig: TaskRig, runs: string[]): void {
  rig.registry.register(
    laneHandler({
      lane: 'transcribe',
      concurrency: 100,
      run: async (claim) => {
        runs.push(claim.key);
        if (claim.key.startsWith('late')) throw new JobPostponedError('not yet', WAIT_MS);
        await fixture.db.units.run('test', (uow) =>
          uow.commit('test', (tx) => rig.tasks.complete(tx, claim)),
        );
      },
    }),
  );
}

test('a task that postpones itself is due after its time, and no failure is counted', async () => {
  const rig = fixture.another();
  const runs: string[] = [];
  laneOf(rig, runs);
  const id = await fixture.add({ lane: 'transcribe', key: 'late' });

  for (let hour = 0; hour < 3; hour += 1) {
    await pass(rig);
    expect(await fixture.row(id)).toMatchObject({
      state: 'retry',
      failures: 0,
      claims_without_progress: 0,
      last_error: 'task_postponed: not yet',
    });
    expect(await fixture.dueInMs(id)).toBe(WAIT_MS);
    fixture.db.clock.advance(WAIT_MS - 1);
    await pass(rig);
    expect(runs).toHaveLength(hour + 1);
    fixture.db.clock.advance(1);
  }
});

test('it holds up no other task of its lane, and opens no breaker', async () => {
  const rig = fixture.another();
  const runs: string[] = [];
  laneOf(rig, runs);
  await fixture.add({ lane: 'transcribe', key: 'late 1' });
  await fixture.add({ lane: 'transcribe', key: 'late 2' });
  await pass(rig);
  const id = await fixture.add({ lane: 'transcribe', key: 'ready' });

  await pass(rig);

  expect((await fixture.row(id)).state).toBe('done');
  expect(rig.breakers.isOpen('transcribe')).toBe(false);
});

test('as a probe it says nothing of the peer: the next task finds out', async () => {
  const rig = fixture.another();
  let isDown = true;
  const runs: string[] = [];
  rig.registry.register(
    laneHandler({
      lane: 'transcribe',
      concurrency: 100,
      run: async (claim, flow) => {
        runs.push(claim.key);
        if (isDown) throw new PeerUnavailableError('refused');
        if (claim.key === 'late') throw new JobPostponedError('not yet', WAIT_MS);
        flow.peerAnswered();
        await fixture.db.units.run('test', (uow) =>
          uow.commit('test', (tx) => rig.tasks.complete(tx, claim)),
        );
      },
    }),
  );
  await fixture.add({ lane: 'transcribe', key: 'late' });
  await pass(rig);
  const id = await fixture.add({ lane: 'transcribe', key: 'ready', dueInMs: 1500 });
  isDown = false;
  fixture.db.clock.advance(2000);

  await pass(rig);
  await pass(rig);

  expect(runs).toEqual(['late', 'late', 'ready']);
  expect((await fixture.row(id)).state).toBe('done');
  expect(rig.breakers.isOpen('transcribe')).toBe(false);
});
