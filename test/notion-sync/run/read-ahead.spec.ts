import { getEventListeners } from 'node:events';
import type { BoardRequest, ReadyBoard } from '../../../src/notion-sync/sync/board-run';
import { SECOND_MS } from '../../../src/notion-sync/api/limiter/limiter-timing';
import type { NotionPage, NotionUser } from '../../../tools/fake-notion';
import { RunStage, ranksOf } from './stage';

/** Read-ahead: the first pages of the next board are queried while the current board is written. */

const stage = new RunStage();
const BOBS: BoardRequest = { jobId: '2', asks: 1 };

let bob: NotionUser;
let bobs: NotionPage;

beforeEach(async () => {
  // This run reads the schema, so that the tests do not see that call.
  await stage.colloquy.run(stage.notion.workspace.user('Zoe'));
  stage.notion.journal.clear();
  stage.notion.latencyMs = 50;
  bob = stage.notion.workspace.user('Bob');
  bobs = stage.board.task({ Name: 'One', Assignee: [bob] });
  stage.board.task({ Name: 'Two', Assignee: [stage.ada] });
});

function nextIs(user: NotionUser): () => Promise<readonly ReadyBoard[]> {
  return () => Promise.resolve([{ userId: user.id, request: BOBS }]);
}

function queries(): number {
  return stage.notion.journal.calls('queryDataSource').length;
}

test('a read ahead replaces the run’s own query and is counted in it', async () => {
  const first = await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });
  expect(first.counts.apiCalls).toBe(2);
  expect(stage.fixture.operations).toEqual(
    expect.arrayContaining(['queryDataSource', 'updatePage', 'queryDataSource']),
  );

  const run = stage.colloquy.begin(bob, { request: BOBS });
  const { counts } = await stage.colloquy.end(run);

  expect(queries()).toBe(2);
  expect(counts).toMatchObject({ loaded: 1, updated: 1, apiCalls: 2 });
  expect(run.answers).toBeGreaterThan(0);
  expect(ranksOf([bobs])).toEqual([1]);
});

test.each([
  ['the board was requested again', { request: { ...BOBS, asks: 2 } }],
  ['another job requests the board', { request: { ...BOBS, jobId: '3' } }],
  ['the claim has joined two jobs', { request: null }],
  ['the run was taken over', { request: BOBS, isTakenOver: true }],
])('a read ahead is dropped when %s', async (_when, flow) => {
  await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });
  bobs.edit({ 'Queue Rank': 7 });

  await stage.colloquy.run(bob, flow);

  expect(queries()).toBe(3);
  expect(ranksOf([bobs])).toEqual([1]);
});

test('a read ahead is dropped when another board runs first, or when it is too old', async () => {
  const [cyd, dan] = ['Cyd', 'Dan'].map((name) => stage.notion.workspace.user(name));
  if (cyd === undefined || dan === undefined) throw new Error('a user is missing');
  await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });
  const three = stage.board.task({ Name: 'Three', Assignee: [cyd] });
  await stage.colloquy.run(cyd, { nextReady: nextIs(dan) });
  await stage.colloquy.run(bob, { request: BOBS });
  expect(queries()).toBe(5);

  three.edit({ 'Queue Rank': null });
  await stage.colloquy.run(cyd, { nextReady: nextIs(bob) });
  await stage.fixture.drive(() => queries() === 7);
  stage.fixture.world.clock.advance(10_001);
  await stage.colloquy.run(bob, { request: BOBS });
  expect(queries()).toBe(8);
});

test('an ended read ahead leaves no listener on a lease', async () => {
  const [lease, bobsLease] = [new AbortController(), new AbortController()];
  const under = ({ signal }: AbortController) => ({
    holder: { signal, lease: () => null },
  });
  await stage.colloquy.run(stage.ada, { ...under(lease), nextReady: nextIs(bob) });
  await stage.colloquy.run(bob, { ...under(bobsLease), request: BOBS });

  expect(queries()).toBe(2);
  for (const { signal } of [lease, bobsLease]) {
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }
});

test('a read ahead that is still under way is waited for', async () => {
  stage.notion.faults.on('queryDataSource', { kind: 'delay', ms: 3000 }, { after: 1 });
  await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });
  expect(ranksOf([bobs])).toEqual([null]);

  await stage.colloquy.run(bob, { request: BOBS });

  expect(ranksOf([bobs])).toEqual([1]);
  expect(queries()).toBe(2);
});

test('a failed read ahead affects neither board: the next run makes its own query', async () => {
  stage.notion.faults.on('queryDataSource', { kind: 'status', status: 503 }, { after: 1 });
  expect(await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) })).toMatchObject({
    kind: 'ranked',
  });

  expect(await stage.colloquy.run(bob, { request: BOBS })).toMatchObject({ kind: 'ranked' });
  expect(queries()).toBe(3);
});

test('a run that waits for a read ahead fails with it, and makes no second call', async () => {
  stage.notion.faults.on('queryDataSource', { kind: 'delay', ms: 6000 }, { after: 1 });
  await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });

  const run = stage.colloquy.run(bob, { request: BOBS });

  await expect(run).rejects.toMatchObject({ code: 'notion_unavailable' });
  expect(queries()).toBe(2);
});

test('a run that has lost its lease starts no read ahead and writes nothing', async () => {
  let lose = (): void => undefined;
  const run = stage.colloquy.begin(stage.ada, {
    nextReady: () => {
      lose();
      return nextIs(bob)();
    },
  });
  lose = () => {
    run.loseLease();
  };

  await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
  await stage.fixture.world.settle();
  expect(stage.fixture.operations).toEqual(['queryDataSource']);
});

test('a read ahead ends with the run that waits for it', async () => {
  stage.notion.faults.on('queryDataSource', { kind: 'delay', ms: 3000 }, { after: 1 });
  await stage.colloquy.run(stage.ada, { nextReady: nextIs(bob) });
  const fromMs = stage.fixture.world.nowMs;
  const run = stage.colloquy.begin(bob, { request: BOBS });
  run.abort();

  await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
  expect(stage.fixture.world.nowMs - fromMs).toBeLessThan(1000);
});

test('boards with one changed page each use the full rate even if each call takes 600 ms', async () => {
  const { board, notion, colloquy } = stage;
  const people = Array.from({ length: 12 }, (_, n) => notion.workspace.user(`Person ${n}`));
  for (const person of people) board.task({ Name: 'One', Assignee: [person] });
  notion.latencyMs = 600;
  const boards = people.map(({ id }, n) => ({
    userId: id,
    request: { jobId: String(100 + n), asks: 1 },
  }));

  for (const [n, person] of people.entries()) {
    const request = boards[n]?.request ?? null;
    await colloquy.run(person, {
      request,
      nextReady: () => Promise.resolve(boards.slice(n + 1)),
    });
  }

  const times = notion.journal.all.map(({ atMs }) => atMs);
  expect(times).toHaveLength(24);
  // At most three calls may start in SECOND_MS; the first query and the last write run alone.
  const least = (24 / 3) * SECOND_MS;
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(1.1 * least);
});

test('a read ahead is made even if its start comes after the end of the run that asked for it', async () => {
  stage.tasks(2);
  const writes = (): number => stage.notion.journal.calls('updatePage').length;
  const afterTheLastWrite = async (): Promise<readonly ReadyBoard[]> => {
    while (writes() < 3) await new Promise((resolve) => setImmediate(resolve));
    return nextIs(bob)();
  };
  await stage.colloquy.run(stage.ada, { nextReady: afterTheLastWrite });
  expect([writes(), queries()]).toEqual([3, 1]);

  await stage.fixture.drive(() => queries() === 2);
  await stage.colloquy.run(bob, { request: BOBS });

  expect(queries()).toBe(2);
  expect(ranksOf([bobs])).toEqual([1]);
});
