import { DataSource } from 'typeorm';
import { SegmentWriter } from '../../src/streams/segment-writer';
import type { InterviewProcess } from './interview-process';
import { TurnFixture, words } from './turn-fixture';

const POOL_SIZE = 5;
const TURNS = 200;
const BURST = 20;

let fixture: TurnFixture;
let small: InterviewProcess;

beforeAll(async () => {
  fixture = await TurnFixture.open();
  small = await fixture.another({ poolSize: POOL_SIZE });
});

afterAll(() => fixture.close());

/** Pooled connections that are not idle, but for the one that asks. */
function busyConnections(): Promise<unknown[]> {
  return fixture.sql(
    `select state, query from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy'
       and pid <> pg_backend_pid() and state <> 'idle'`,
  );
}

test('I6: while a model writes 200 replies, no connection of a pool of 5 is in use or waited for', async () => {
  const candidates = [];
  for (let n = 0; n < TURNS; n += 1) candidates.push(await fixture.candidate());
  fixture.model.always({
    kind: 'hold',
    content: '{"verdict":"answered","text":"Wait',
    rest: ' for it."}',
  });
  // Not all in one burst: what is waited for then is the start of the turns, not the model.
  for (let begun = 0; begun < TURNS; begun += BURST) {
    const burst = candidates.slice(begun, begun + BURST);
    for (const candidate of burst) await candidate.say(words());
    await fixture.sql('update task set due_at = $1 where key = any($2)', [
      fixture.clock.now(),
      burst.map(({ id }) => id),
    ]);
    expect(await small.pass()).toBe(BURST);
    await fixture.model.request(begun + BURST);
  }
  for (const { id } of candidates) while (small.visible(id) !== 'Wait') await fixture.aMoment();

  await small.get(SegmentWriter).write();
  expect(await busyConnections()).toEqual([]);
  const { driver } = small.get(DataSource) as unknown as {
    driver: { master: { totalCount: number; idleCount: number; waitingCount: number } };
  };
  const { totalCount, idleCount, waitingCount } = driver.master;
  expect(totalCount).toBeLessThanOrEqual(POOL_SIZE);
  expect(idleCount).toBe(totalCount);
  expect(waitingCount).toBe(0);

  fixture.model.release();
  await small.settled();
  for (const candidate of candidates) {
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  }
});

test('a turn takes three commits besides its admission and its ledger', async () => {
  fixture.model.always({ kind: 'answer', content: '{"verdict":"answered","text":"Ok."}' });
  const commits = (label: string): Promise<number> =>
    fixture.main.metric(`uow_commits_total{label="${label}",outcome="committed"}`);
  const labels = ['flush.admit', 'turn.open', 'turn.close', 'llm.settle'];
  const before = await Promise.all(labels.map(commits));
  const candidate = await fixture.candidate();

  await candidate.answer(words());

  const after = await Promise.all(labels.map(commits));
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1, 1]);
});
