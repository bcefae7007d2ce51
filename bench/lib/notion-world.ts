import { Client } from 'pg';
import { NotionServer } from '../../tools/fake-notion';
import { fill } from '../../tools/fake-notion/demo/fill';

/** One call of Notion, and the owner of the board it was for; null when it was for no board. */
export interface BoardCall {
  readonly atMs: number;
  readonly userId: string | null;
  readonly isQuery: boolean;
}

/** A fake Notion full of boards on which every task needs a new rank. */
export class NotionWorld {
  private constructor(
    readonly server: NotionServer,
    readonly dataSourceId: string,
    readonly userIds: readonly string[],
    readonly pageIds: ReadonlyMap<string, readonly string[]>,
  ) {}

  static async open(options: {
    readonly boards: number;
    readonly tasksEach: number;
    readonly latencyMs: number;
  }): Promise<NotionWorld> {
    const { boards, tasksEach, latencyMs } = options;
    const server = await NotionServer.start();
    const { board, people } = fill(server, { people: boards, tasksEach, today: new Date() });
    const pageIds = new Map<string, string[]>(people.map(({ id }) => [id, []]));
    for (const task of board.tasks) {
      // Closed tasks are not ranked.
      task.edit({ Status: 'Not started' });
      const [assignee = ''] = task.value('Assignee') as readonly string[];
      pageIds.get(assignee)?.push(task.id);
    }
    server.latencyMs = latencyMs;
    const userIds = people.map(({ id }) => id);
    return new NotionWorld(server, board.id, userIds, pageIds);
  }

  /** Settings of the replicas, without the sweep, because it would add calls. */
  get env(): Record<string, string> {
    return {
      NOTION_TOKEN: this.server.token,
      NOTION_API_URL: this.server.url,
      NOTION_DATA_SOURCE_ID: this.dataSourceId,
      NOTION_SWEEP_SHARE: '0',
      NOTION_LOGGING: 'false',
    };
  }

  /** Makes the jobs of all boards due at once, in order. */
  async makeReady(databaseUrl: string): Promise<void> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `insert into job (queue, key, due_at, check_at, first_at)
       select 'notion-sync', id, at, at, now()
       from unnest($1::text[]) with ordinality as u (id, n),
         lateral (select now() + n * interval '1 millisecond' as at) due`,
      [this.userIds],
    );
    await client.end();
  }

  /** Every call so far, oldest first. */
  calls(): BoardCall[] {
    const owners = new Map(
      [...this.pageIds].flatMap(([userId, pages]) => pages.map((page) => [page, userId] as const)),
    );
    return this.server.journal.all.map(({ atMs, operation, params }) => {
      const isQuery = operation === 'queryDataSource';
      const asked = isQuery ? this.userIds.find((id) => JSON.stringify(params).includes(id)) : null;
      const written = owners.get(String((params as Record<string, unknown>)['page_id']));
      return { atMs, isQuery, userId: asked ?? written ?? null };
    });
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
