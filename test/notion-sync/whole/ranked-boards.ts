import { type TestApp, startTestApp } from '../../support/app';
import type { NotionServer, Board, NotionPage, NotionUser } from '../../../tools/fake-notion';
import { until } from '../../support/until';
import { ADMIN_TOKEN as ADMIN } from '../../support/secrets';

const QUICK = { NOTION_DEBOUNCE_MS: '50', NOTION_DEBOUNCE_MAX_MS: '50', ADMIN_TOKEN: ADMIN };

/** A Colloquy that keeps a board of a fake Notion ranked, in real time. */
export class RankedBoards {
  private constructor(readonly app: TestApp) {}

  static async start(
    env: Record<string, string> = {},
    { isLimited = false }: { readonly isLimited?: boolean } = {},
  ): Promise<RankedBoards> {
    const notion = { isLimited, sendsEvents: true };
    const app = await startTestApp({ env: { ...QUICK, ...env }, notion });
    app.notion.webhooks.sendTo(`${app.url}/webhooks/notion`);
    return new RankedBoards(app);
  }

  get notion(): NotionServer {
    return this.app.notion;
  }

  get board(): Board {
    return this.app.board;
  }

  /** Tasks of a person with these importances, oldest first. */
  tasks(person: NotionUser, importances: readonly number[]): NotionPage[] {
    return importances.map((importance, n) =>
      this.board.task(
        {
          Name: `Task ${String(n + 1)}`,
          Assignee: person,
          Importance: importance,
          Status: 'Not started',
          Estimate: 8,
        },
        person,
      ),
    );
  }

  /** Resolves when the tasks have these ranks. */
  async ranked(tasks: readonly NotionPage[], ranks: readonly number[]): Promise<void> {
    await until(
      `the ranks ${ranks.join(', ')}`,
      () => JSON.stringify(this.ranksOf(tasks)) === JSON.stringify(ranks),
    );
  }

  ranksOf(tasks: readonly NotionPage[]): unknown[] {
    return tasks.map((task) => task.value('Queue Rank'));
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
