import { type TestApp, startReplica, startTestApp } from '../../support/app';
import {
  NotionServer,
  type Board,
  type NotionPage,
  type NotionUser,
} from '../../../tools/fake-notion';
import { until } from '../../support/postgres/processes';
import { ADMIN_TOKEN as ADMIN } from '../../support/secrets';

export { ADMIN };
/** Settings without waits: only the tests of the limiter use the real limits of Notion. */
const QUICK = {
  NOTION_MAX_RPS: '100',
  NOTION_TOKEN_CAPACITY: '100',
  NOTION_BUDGET_PER_MINUTE: '1000',
  NOTION_DEBOUNCE_MS: '50',
  NOTION_DEBOUNCE_MAX_MS: '50',
  NOTION_SWEEP_SHARE: '0',
  ADMIN_TOKEN: ADMIN,
};

/** A fake Notion workspace, and a Colloquy that keeps its board ranked; both in real time. */
export class NotionStage {
  readonly apps: TestApp[] = [];

  private constructor(
    readonly notion: NotionServer,
    readonly board: Board,
  ) {}

  static async open(
    env: Record<string, string> = {},
    { isLimited = false }: { readonly isLimited?: boolean } = {},
  ): Promise<NotionStage> {
    const notion = await NotionServer.start();
    if (!isLimited) notion.limits.lift();
    const stage = new NotionStage(notion, notion.workspace.board());
    stage.apps.push(await startTestApp({ env: stage.env(env) }));
    notion.webhooks.sendTo(`${stage.app.url}/webhooks/notion`);
    return stage;
  }

  get app(): TestApp {
    const [app] = this.apps;
    if (app === undefined) throw new Error('no application was started');
    return app;
  }

  /** The settings that connect Colloquy to this Notion. */
  env(more: Record<string, string> = {}): Record<string, string> {
    const { notion, board } = this;
    return {
      ...QUICK,
      NOTION_TOKEN: notion.token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: board.id,
      NOTION_WEBHOOK_TOKEN: notion.webhooks.token,
      ...more,
    };
  }

  async addReplica(env: Record<string, string> = {}): Promise<TestApp> {
    const replica = await startReplica(this.app, { env: this.env(env) });
    this.apps.push(replica);
    return replica;
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

  /** Resolves when all events of Notion are stored and no job about Notion is left. */
  async quiet(): Promise<void> {
    await until('no job about Notion is left', async () => {
      if (!this.isAllTold || !this.app.isIdle()) return false;
      const [row] = await this.app.sql<{ count: number }>(
        `select count(*)::int as count from job
         where queue in ('notion-read', 'notion-walk', 'notion-review', 'notion-sync') and state in ('open', 'running', 'retry')`,
      );
      return row?.count === 0;
    });
  }

  /** Whether the application has accepted all events of Notion. */
  private get isAllTold(): boolean {
    const { attempts, feed } = this.notion.webhooks;
    const taken = attempts.filter(({ status }) => status === 200).map(({ event }) => event.id);
    return feed.made.every(({ id }) => taken.includes(id));
  }

  /** Calls the admin API. */
  admin(method: 'GET' | 'POST', path: string): Promise<Response> {
    const headers = { authorization: `Bearer ${ADMIN}` };
    return fetch(`${this.app.url}/api/v1/admin/${path}`, { method, headers });
  }

  async close(): Promise<void> {
    for (const app of this.apps.toReversed()) await app.close();
    await this.notion.close();
  }
}
