import { DataSource } from 'typeorm';
import { SegmentWriter } from '../../src/streams/segment-writer';
import type { InterviewProcess } from './interview-process';
import { TurnFixture, words } from './turn-fixture';

const POOL_SIZE = 2;
const TURNS = 12;

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

test('I6: while a model talks, no connection is in use, and turns outnumber connections', async () => {
  const candidates = [];
  for (let n = 0; n < TURNS; n += 1) candidates.push(await fixture.candidate());
  fixture.model.always({
    kind: 'hold',
    content: '{"verdict":"answered","text":"Wait',
    rest: ' for it."}',
  });
  for (const candidate of candidates) await candidate.say(words());
  fixture.pause();

  expect(await small.pass()).toBe(TURNS);
  await fixture.model.request(TURNS);
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

test('a turn takes three commits besides its admission, its ledger among them', async () => {
  fixture.model.always({ kind: 'answer', content: '{"verdict":"answered","text":"Ok."}' });
  const commits = (label: string): Promise<number> =>
    fixture.main.metric(`colloquy_uow_commits_total{label="${label}",outcome="committed"}`);
  const labels = ['flush.admit', 'turn.open', 'turn.close', 'llm.settle'];
  const before = await Promise.all(labels.map(commits));
  const candidate = await fixture.candidate();

  await candidate.answer(words());

  const after = await Promise.all(labels.map(commits));
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1, 0]);
});
