import type { Board, NotionPage, NotionUser } from '../../../../tools/fake-notion';
import { type BegunRun, BoardRuns, type RunProcess } from './board-runs';

/** A board, its user Ada, and a process that ranks it. It registers its own hooks. */
export class RankedBoard {
  runs!: BoardRuns;
  board!: Board;
  ada!: NotionUser;
  colloquy!: RunProcess;

  constructor() {
    beforeAll(async () => {
      this.runs = await BoardRuns.open();
    });
    beforeEach(async () => {
      await this.runs.reset();
      this.board = this.notion.workspace.board();
      this.ada = this.notion.workspace.user('Ada');
      this.colloquy = this.runs.process(this.board);
    });
    // Notion may reject what the types of its SDK do not allow.
    afterEach(() => {
      expect(this.notion.journal.violations).toEqual([]);
    });
    afterAll(() => this.runs.close());
  }

  get notion() {
    return this.runs.notion;
  }

  /** Tasks of Ada, the most important first. */
  tasks(count: number): NotionPage[] {
    return Array.from({ length: count }, (_, n) =>
      this.board.task({
        Name: `Task ${String(n + 1)}`,
        Assignee: [this.ada],
        Importance: count - n,
      }),
    );
  }

  /** Tasks of Ada that already show their ranks, the most important first. */
  rankedTasks(count: number): NotionPage[] {
    const pages = this.tasks(count);
    for (const [n, page] of pages.entries()) page.edit({ 'Queue Rank': n + 1 });
    return pages;
  }

  /** Ids of the pages that were written, in the order in which the calls came in. */
  get written(): unknown[] {
    return this.notion.journal.calls('updatePage').map(({ params }) => params.page_id);
  }

  /** Resolves when this number of calls of the run hang at Notion. */
  async untilHanging(run: BegunRun, calls = 1): Promise<void> {
    const { faults } = this.notion;
    await this.runs.driveUntil(
      () => faults.waiting >= calls || run.isOver,
      () => faults.waiting,
    );
    if (run.isOver)
      throw new Error('the run ended before its calls hung', { cause: await run.ended });
  }
}

export function ranksOf(pages: readonly NotionPage[]): unknown[] {
  return pages.map((page) => page.value('Queue Rank'));
}

export function idsOf(pages: readonly NotionPage[]): string[] {
  return pages.map(({ id }) => id);
}
