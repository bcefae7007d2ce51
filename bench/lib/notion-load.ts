import { NotionServer, type NotionPage, type NotionUser } from '../../tools/fake-notion';

/** The quiet time of each board: short, so that the bench measures the queue and not this wait. */
const QUIET_MS = 1000;
const POLL_MS = 20;

/** How many people edit, how large their boards are, and how many pages each edit changes. */
export interface LoadShape {
  readonly people: number;
  readonly tasksEach: number;
  readonly changed: number;
  readonly latencyMs: number;
}

interface Person {
  readonly user: NotionUser;
  readonly tasks: readonly NotionPage[];
}

/** `ms`: from the sending of a signed event until Notion has the rank of its page. */
interface RankedEvent {
  readonly sentAtMs: number;
  readonly ms: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A fake Notion with the real limits and people who never stop editing: each clears the ranks of some
 * tasks, Notion sends signed webhooks to Colloquy, and when all of them have their ranks again the
 * person repeats it. So there is always a board that waits for its run.
 */
export class NotionLoad {
  private isOver = false;
  private edits = 0;

  private constructor(
    readonly server: NotionServer,
    private readonly dataSourceId: string,
    private readonly people: readonly Person[],
    private readonly shape: LoadShape,
  ) {}

  static async open(shape: LoadShape): Promise<NotionLoad> {
    const server = await NotionServer.start();
    server.latencyMs = shape.latencyMs;
    const { feed } = server.webhooks;
    feed.delivery = { ...feed.delivery, types: ['page.properties_updated'] };
    const board = server.workspace.board();
    const people = Array.from({ length: shape.people }, (_, n) => {
      const user = server.workspace.user(`Person ${String(n + 1)}`);
      const tasks = Array.from({ length: shape.tasksEach }, (_task, place) =>
        board.task(
          {
            Name: `Task ${String(place + 1)}`,
            Assignee: user,
            Importance: shape.tasksEach - place,
            'Queue Rank': place + 1,
          },
          user,
        ),
      );
      return { user, tasks };
    });
    return new NotionLoad(server, board.id, people, shape);
  }

  /** Settings of the replicas: Notion's own limits, and no sweep, because it would add calls. */
  get env(): Record<string, string> {
    return {
      NOTION_TOKEN: this.server.token,
      NOTION_API_URL: this.server.url,
      NOTION_DATA_SOURCE_ID: this.dataSourceId,
      NOTION_WEBHOOK_TOKEN: this.server.webhooks.token,
      NOTION_DEBOUNCE_MS: String(QUIET_MS),
      NOTION_DEBOUNCE_MAX_MS: String(QUIET_MS),
      NOTION_SWEEP_SHARE: '0',
      NOTION_LOGGING: 'false',
    };
  }

  get userIds(): readonly string[] {
    return this.people.map(({ user }) => user.id);
  }

  /** One person edits and gets the ranks: pages, columns and schema are read for the first time. */
  async tellFirst(webhooks: readonly string[]): Promise<void> {
    const [first] = this.people;
    if (first !== undefined) await this.edit(first, webhooks);
  }

  /** Everybody edits until `stop` is called. */
  begin(webhooks: readonly string[]): Promise<unknown> {
    return Promise.all(
      this.people.map(async (person) => {
        while (!this.isOver) await this.edit(person, webhooks);
      }),
    );
  }

  stop(): void {
    this.isOver = true;
  }

  /** The events whose pages were ranked since `atMs`. */
  rankedSince(atMs: number): RankedEvent[] {
    const writes = new Map<unknown, number[]>();
    for (const { at, params, outcome } of this.server.journal.calls('updatePage')) {
      if (outcome.kind !== 'responded' || outcome.status !== 200) continue;
      const ofPage = writes.get(params.page_id) ?? [];
      writes.set(params.page_id, [...ofPage, at.getTime() + this.shape.latencyMs]);
    }
    const own = new Set<string>(this.userIds);
    return this.server.webhooks.attempts.flatMap(({ at, event }) => {
      const sentAtMs = at.getTime();
      if (!event.authors.some(({ id }) => own.has(id))) return [];
      const written = writes.get(event.entity.id)?.find((time) => time >= sentAtMs);
      return written === undefined || written < atMs ? [] : [{ sentAtMs, ms: written - sentAtMs }];
    });
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Edits are announced to one replica after the other. */
  private async edit({ user, tasks }: Person, webhooks: readonly string[]): Promise<void> {
    const changed = tasks.slice(-this.shape.changed);
    this.server.webhooks.sendTo(webhooks[this.edits % webhooks.length] ?? null);
    this.edits += 1;
    for (const task of changed) task.edit({ 'Queue Rank': null }, user);
    while (changed.some((task) => task.value('Queue Rank') === null)) {
      if (this.isOver) return;
      await sleep(POLL_MS);
    }
  }
}
