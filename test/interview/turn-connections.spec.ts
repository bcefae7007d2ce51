import { DataSource } from 'typeorm';
import { SegmentWriter } from '../../src/streams/segment-writer';
import {
  startInterviews,
  startOther,
  closeInterviews,
  words,
  pause,
  settled,
  visible,
} from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import type { TestApp } from '../support/app';
import { untilInProcess } from '../support/until';

const POOL_SIZE = 2;
const TURNS = 12;

let app: TestApp;
let small: TestApp;

beforeAll(async () => {
  app = await startInterviews();
  small = await startOther(app, { env: { DATABASE_POOL_SIZE: String(POOL_SIZE) } });
});

afterAll(() => closeInterviews(app));

/** Pooled connections that are not idle, except the one of this query. */
function busyConnections(): Promise<unknown[]> {
  return app.sql(
    `select state, query from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy'
       and pid <> pg_backend_pid() and state <> 'idle'`,
  );
}

test('I6: uses no connection while the model replies, with more turns than connections', async () => {
  const candidates: Interviewee[] = [];
  for (let n = 0; n < TURNS; n += 1) candidates.push(await newCandidate(app));
  app.model.always({
    kind: 'hold',
    content: '{"verdict":"answered","text":"Wait. T',
    rest: 'hank you."}',
  });
  for (const candidate of candidates) await candidate.say(words());
  pause(app);

  expect(await small.worker.tick()).toBe(TURNS);
  await app.model.request(TURNS);
  await untilInProcess('every reply has begun', () =>
    candidates.every(({ id }) => visible(small, id) === 'Wait.'),
  );

  await small.get(SegmentWriter).write();
  expect(await busyConnections()).toEqual([]);
  const { driver } = small.get(DataSource) as unknown as {
    driver: { master: { totalCount: number; idleCount: number; waitingCount: number } };
  };
  const { totalCount, idleCount, waitingCount } = driver.master;
  expect(totalCount).toBeLessThanOrEqual(POOL_SIZE);
  expect(idleCount).toBe(totalCount);
  expect(waitingCount).toBe(0);

  app.model.release();
  await settled(small);
  for (const candidate of candidates) {
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 1 }]);
  }
});

test('a turn takes two commits after its admission; the ledger needs no commit of its own', async () => {
  app.model.always({ kind: 'completion', content: '{"verdict":"answered","text":"Ok."}' });
  const commits = (label: string): Promise<number> =>
    app.metrics('uow_commits_total', { label, outcome: 'committed' });
  const labels = ['flush.admit', 'turn.open', 'turn.close', 'llm.settle'];
  const before = await Promise.all(labels.map(commits));
  const candidate = await newCandidate(app);

  await candidate.answer(words());

  const after = await Promise.all(labels.map(commits));
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1, 0]);
});
