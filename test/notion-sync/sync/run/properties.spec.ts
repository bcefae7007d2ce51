import fc from 'fast-check';
import type { Board, NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, idsOf } from './ranked-board';

const setup = new RankedBoard();

/** The values that a person may have entered into a row. */
const anyJob = fc.record({
  importance: fc.option(fc.integer({ min: 0, max: 4 })),
  due: fc.option(fc.constantFrom('2026-02-20', '2026-03-05', '2026-04-30')),
  estimate: fc.option(fc.constantFrom(1, 8, 30)),
  blocker: fc.option(fc.nat(7)),
  parent: fc.option(fc.nat(7), { freq: 2 }),
  rank: fc.option(fc.integer({ min: 1, max: 9 })),
  isDone: fc.nat(5).map((n) => n === 0),
});
type AnyJob = typeof anyJob extends fc.Arbitrary<infer T> ? T : never;

function fill(board: Board, tasks: readonly AnyJob[]): NotionPage[] {
  const pages = tasks.map((task, n) =>
    board.task({
      Name: `Task ${String(n)}`,
      Assignee: [setup.ada],
      Importance: task.importance,
      Due: task.due,
      Estimate: task.estimate,
      'Queue Rank': task.rank,
      Status: task.isDone ? 'Done' : 'In progress',
    }),
  );
  for (const [n, { blocker, parent }] of tasks.entries()) {
    const related = (place: number | null): NotionPage[] =>
      pages.slice(place ?? 0, (place ?? -1) + 1);
    pages[n]?.edit({ 'Blocked By': related(blocker), 'Parent Task': related(parent) });
  }
  return pages;
}

test('a run ranks any board, and the next run writes nothing', async () => {
  const boards = fc.array(anyJob, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(boards, fc.constantFrom('importance', 'weighted'), async (tasks, strategy) => {
      await setup.runs.reset();
      const board = setup.notion.workspace.board();
      const pages = fill(board, tasks);
      const colloquy = setup.runs.process(board, { NOTION_RANKING: strategy });
      const isOpen = (page: NotionPage): boolean => page.value('Status') !== 'Done';
      // A closed task that still shows a rank loses it, after the writes of the open tasks.
      const over = pages.filter((page) => !isOpen(page) && page.value('Queue Rank') !== null);
      const first = await colloquy.run(setup.ada);
      const written = setup.written.length;
      const second = await colloquy.run(setup.ada);

      const open = pages.filter(isOpen);
      const processed = open.length + over.length;
      expect(first).toMatchObject({ kind: 'ranked', counts: { processed } });
      expect(first.counts).toMatchObject({ updated: written, apiCalls: written + 2 });
      expect(second.counts).toMatchObject({ updated: 0, apiCalls: 1 });
      expect(new Set(setup.written).size).toBe(written);
      const ranks = open
        .map((page) => page.value('Queue Rank'))
        .sort((a, b) => Number(a) - Number(b));
      expect(ranks).toEqual(open.map((_, n) => n + 1));
      const byRank = [...open].sort(
        (a, b) => Number(a.value('Queue Rank')) - Number(b.value('Queue Rank')),
      );
      expect(over.map((page) => page.value('Queue Rank'))).toEqual(over.map(() => null));
      const ranked = setup.written.slice(0, written - over.length);
      expect(idsOf(byRank).filter((id) => setup.written.includes(id))).toEqual(ranked);
    }),
    { numRuns: 25 },
  );
}, 180_000);
