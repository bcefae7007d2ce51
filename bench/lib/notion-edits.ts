import {
  type Board,
  type NotionPage,
  NotionServer,
  type NotionUser,
} from '../../tools/fake-notion';

/** Everything is three times as fast as in production, so that a bench takes minutes and not hours. */
export const FASTER = 3;
const QUIET_MS = 10_000 / FASTER;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** A person with a few tasks, who makes one edit at a time. */
export interface Editor {
  readonly user: NotionUser;
  readonly tasks: readonly NotionPage[];
}

/** A fake Notion with one board; `edit` measures the time from an edit to the new ranks. */
export class NotionEdits {
  private constructor(
    readonly server: NotionServer,
    readonly board: Board,
  ) {}

  static async open(): Promise<NotionEdits> {
    const server = await NotionServer.start();
    server.limits.lift();
    server.latencyMs = 250 / FASTER;
    const { feed } = server.webhooks;
    feed.delivery = { ...feed.delivery, types: ['page.properties_updated'] };
    return new NotionEdits(server, server.workspace.board());
  }

  get env(): Record<string, string> {
    return {
      NOTION_TOKEN: this.server.token,
      NOTION_API_URL: this.server.url,
      NOTION_DATA_SOURCE_ID: this.board.id,
      NOTION_WEBHOOK_TOKEN: this.server.webhooks.token,
      NOTION_MAX_RPS: String(3 * FASTER),
      NOTION_TOKEN_CAPACITY: String(3 * FASTER),
      NOTION_BUDGET_PER_MINUTE: String(180 * FASTER),
      NOTION_DEBOUNCE_MS: String(QUIET_MS),
      NOTION_DEBOUNCE_MAX_MS: String(15_000 / FASTER),
      NOTION_MAX_WAIT: String(60 / FASTER),
      NOTION_TIMEOUT_MS: String(5000 / FASTER),
      NOTION_SWEEP_SHARE: '0',
      NOTION_LOGGING: 'false',
    };
  }

  /** Creates a person with open tasks in order of importance, which are ranked already. */
  editor(name: string, count: number): Editor {
    const user = this.server.workspace.user(name);
    const tasks = Array.from({ length: count }, (_, n) =>
      this.board.task(
        { Name: `${name} ${n}`, Assignee: user, Importance: 2 * (count - n), 'Queue Rank': n + 1 },
        user,
      ),
    );
    return { user, tasks };
  }

  /** Swaps the importance of the first two tasks; returns the milliseconds until both have their new ranks. */
  async edit({ user, tasks }: Editor, timeoutMs: number): Promise<number> {
    const [first, second] = tasks;
    if (first === undefined || second === undefined)
      throw new Error('an editor needs two tasks at least');
    const rankOf = (task: NotionPage): unknown => task.value('Queue Rank');
    const isFirst = rankOf(first) === 1;
    const importance = Number(second.value('Importance'));
    const startedMs = performance.now();
    first.edit({ Importance: isFirst ? importance - 1 : importance + 1 }, user);
    const wanted = isFirst ? [2, 1] : [1, 2];
    while (rankOf(first) !== wanted[0] || rankOf(second) !== wanted[1]) {
      if (performance.now() - startedMs > timeoutMs) return timeoutMs;
      await sleep(10);
    }
    return performance.now() - startedMs;
  }
}
