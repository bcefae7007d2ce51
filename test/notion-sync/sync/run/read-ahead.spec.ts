import { getEventListeners } from 'node:events';
import type { BoardRequest, ReadyBoard } from '../../../../src/notion-sync/sync/board-runner';
import { SECOND_MS } from '../../../../src/notion-sync/api/limiter/limiter-timing';
import type { NotionPage, NotionUser } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';
import { untilInProcess } from '../../../support/until';

/** Read-ahead: the first pages of the next board are queried while the current board is written. */

const setup = new RankedBoard();
const BOBS: BoardRequest = { jobId: '2', requests: 1 };

let bob: NotionUser;
let bobs: NotionPage;

beforeEach(async () => {
  // This run reads the schema, so that the tests do not see that call.
  await setup.colloquy.run(setup.notion.workspace.user('Zoe'));
  setup.notion.journal.clear();
  setup.notion.latencyMs = 50;
  bob = setup.notion.workspace.user('Bob');
  bobs = setup.board.task({ Name: 'One', Assignee: [bob] });
  setup.board.task({ Name: 'Two', Assignee: [setup.ada] });
});

function nextIs(user: NotionUser): () => Promise<readonly ReadyBoard[]> {
  return () => Promise.resolve([{ userId: user.id, request: BOBS }]);
}

function queries(): number {
  return setup.notion.journal.calls('queryDataSource').length;
}

test('a read ahead replaces the run’s own query and is counted in it', async () => {
  const first = await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });
  expect(first.counts.apiCalls).toBe(2);
  expect(setup.runs.operations).toEqual(
    expect.arrayContaining(['queryDataSource', 'updatePage', 'queryDataSource']),
  );

  const run = setup.colloquy.begin(bob, { request: BOBS });
  const { counts } = await setup.colloquy.end(run);

  expect(queries()).toBe(2);
  expect(counts).toMatchObject({ loaded: 1, updated: 1, apiCalls: 2 });
  expect(run.answers).toBeGreaterThan(0);
  expect(ranksOf([bobs])).toEqual([1]);
});

test.each([
  ['the board was requested again', { request: { ...BOBS, requests: 2 } }],
  ['another job requests the board', { request: { ...BOBS, jobId: '3' } }],
  ['the claim has joined two jobs', { request: null }],
  ['the run was taken over', { request: BOBS, isTakenOver: true }],
])('a read ahead is dropped when %s', async (_when, flow) => {
  await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });
  bobs.edit({ 'Queue Rank': 7 });

  await setup.colloquy.run(bob, flow);

  expect(queries()).toBe(3);
  expect(ranksOf([bobs])).toEqual([1]);
});

test('a read ahead is dropped when another board runs first, or when it is too old', async () => {
  const [cyd, dan] = ['Cyd', 'Dan'].map((name) => setup.notion.workspace.user(name));
  if (cyd === undefined || dan === undefined) throw new Error('a user is missing');
  await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });
  const three = setup.board.task({ Name: 'Three', Assignee: [cyd] });
  await setup.colloquy.run(cyd, { nextReady: nextIs(dan) });
  await setup.colloquy.run(bob, { request: BOBS });
  expect(queries()).toBe(5);

  three.edit({ 'Queue Rank': null });
  await setup.colloquy.run(cyd, { nextReady: nextIs(bob) });
  await setup.runs.driveUntil(() => queries() === 7);
  setup.runs.clock.advance(10_001);
  await setup.colloquy.run(bob, { request: BOBS });
  expect(queries()).toBe(8);
});

test('an ended read ahead leaves no listener on a lease', async () => {
  const [lease, bobsLease] = [new AbortController(), new AbortController()];
  const under = ({ signal }: AbortController) => ({
    holder: { signal, lease: () => null },
  });
  await setup.colloquy.run(setup.ada, { ...under(lease), nextReady: nextIs(bob) });
  await setup.colloquy.run(bob, { ...under(bobsLease), request: BOBS });

  expect(queries()).toBe(2);
  for (const { signal } of [lease, bobsLease]) {
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }
});

test('a read ahead that is still under way is waited for', async () => {
  setup.notion.faults.on('queryDataSource', { kind: 'delay', ms: 3000 }, { after: 1 });
  await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });
  expect(ranksOf([bobs])).toEqual([null]);

  await setup.colloquy.run(bob, { request: BOBS });

  expect(ranksOf([bobs])).toEqual([1]);
  expect(queries()).toBe(2);
});

test('a failed read ahead affects neither board: the next run makes its own query', async () => {
  setup.notion.faults.on('queryDataSource', { kind: 'status', status: 503 }, { after: 1 });
  expect(await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) })).toMatchObject({
    kind: 'ranked',
  });

  expect(await setup.colloquy.run(bob, { request: BOBS })).toMatchObject({ kind: 'ranked' });
  expect(queries()).toBe(3);
});

test('a run that waits for a read ahead fails with it, and makes no second call', async () => {
  setup.notion.faults.on('queryDataSource', { kind: 'delay', ms: 6000 }, { after: 1 });
  await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });

  const run = setup.colloquy.run(bob, { request: BOBS });

  await expect(run).rejects.toMatchObject({ code: 'notion_unavailable' });
  expect(queries()).toBe(2);
});

test('a run that has lost its lease starts no read ahead and writes nothing', async () => {
  let lose = (): void => undefined;
  const run = setup.colloquy.begin(setup.ada, {
    nextReady: () => {
      lose();
      return nextIs(bob)();
    },
  });
  lose = () => {
    run.loseLease();
  };

  await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
  await setup.runs.settle();
  expect(setup.runs.operations).toEqual(['queryDataSource']);
});

test('a read ahead ends with the run that waits for it', async () => {
  setup.notion.faults.on('queryDataSource', { kind: 'delay', ms: 3000 }, { after: 1 });
  await setup.colloquy.run(setup.ada, { nextReady: nextIs(bob) });
  const fromMs = setup.runs.nowMs;
  const run = setup.colloquy.begin(bob, { request: BOBS });
  run.abort();

  await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
  expect(setup.runs.nowMs - fromMs).toBeLessThan(1000);
});

test('boards with one changed page each use the full rate even if each call takes 600 ms', async () => {
  const { board, notion, colloquy } = setup;
  const people = Array.from({ length: 12 }, (_, n) => notion.workspace.user(`Person ${n}`));
  for (const person of people) board.task({ Name: 'One', Assignee: [person] });
  notion.latencyMs = 600;
  const boards = people.map(({ id }, n) => ({
    userId: id,
    request: { jobId: String(100 + n), requests: 1 },
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
  setup.tasks(2);
  const writes = (): number => setup.notion.journal.calls('updatePage').length;
  const afterTheLastWrite = async (): Promise<readonly ReadyBoard[]> => {
    await untilInProcess('three writes are made', () => writes() >= 3);
    return nextIs(bob)();
  };
  await setup.colloquy.run(setup.ada, { nextReady: afterTheLastWrite });
  expect([writes(), queries()]).toEqual([3, 1]);

  await setup.runs.driveUntil(() => queries() === 2);
  await setup.colloquy.run(bob, { request: BOBS });

  expect(queries()).toBe(2);
  expect(ranksOf([bobs])).toEqual([1]);
});
