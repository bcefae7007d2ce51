import { createHmac, randomUUID } from 'node:crypto';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import type { FakeClock } from '../../support/clock';
import {
  type Board,
  type Delivery,
  type NotionPage,
  NotionServer,
  type NotionUser,
} from '../../../tools/fake-notion';
import { rowsOf } from '../../support/outside';
import { until } from '../../support/postgres/processes';
import { WEBHOOK_SECRET as SECRET } from '../../support/secrets';

export { SECRET };
export const EVENTS = '/webhooks/notion';
export const AUTOMATION = '/webhooks/notion/automation';

interface StageOptions {
  readonly env?: Record<string, string>;
  /** Stands still unless a test moves it; jobs are then claimed only by `tick`. */
  readonly clock?: FakeClock;
  readonly isWorking?: boolean;
  /** False: the API is unavailable when the application starts. */
  readonly isUp?: boolean;
}

/** A fake Notion, an application that is connected to one board, and readers of what it stores. */
export class NotionStage {
  private readonly replicas: TestApp[] = [];
  private readonly prompt: Delivery;

  private constructor(
    readonly notion: NotionServer,
    readonly board: Board,
    private readonly options: StageOptions,
  ) {
    this.prompt = notion.webhooks.feed.delivery;
  }

  static async open(options: StageOptions = {}): Promise<NotionStage> {
    const notion = await NotionServer.start();
    notion.limits.lift();
    const stage = new NotionStage(notion, notion.workspace.board(), options);
    if (options.isUp === false) await notion.goDown();
    stage.replicas.push(await startTestApp(stage.appOptions));
    return stage;
  }

  get app(): TestApp {
    const [app] = this.replicas;
    if (app === undefined) throw new Error('no application was started');
    return app;
  }

  async another(): Promise<TestApp> {
    const replica = await startReplica(this.app, this.appOptions);
    this.replicas.push(replica);
    return replica;
  }

  /** From now on Notion sends its events to the application. */
  listen(delivery: Partial<Delivery> = {}): void {
    this.notion.webhooks.feed.delivery = { ...this.prompt, types: PAGE_TYPES, ...delivery };
    this.notion.webhooks.sendTo(`${this.app.url}${EVENTS}`);
  }

  async close(): Promise<void> {
    this.notion.webhooks.sendTo(null);
    for (const app of this.replicas.reverse()) await app.close();
    await this.notion.close();
  }

  /** Sends a request without a signature. */
  post(path: string, body: string | Buffer, headers: Record<string, string> = {}, app = this.app) {
    return fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
  }

  /** Sends an event with the signature that Notion would add. */
  send(event: object | string, app = this.app, token = this.notion.webhooks.token) {
    const body = typeof event === 'string' ? event : JSON.stringify(event);
    return this.post(EVENTS, body, { 'x-notion-signature': signatureOf(body, token) }, app);
  }

  /** Sends the call of an automation with the secret. */
  call(body: object | string, secret = SECRET) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.post(AUTOMATION, text, { 'x-colloquy-secret': secret });
  }

  /** An event about a page of the board in the form in which Notion sends it. */
  event(type: string, pageId: string, more: object = {}): Record<string, unknown> {
    const { board } = this;
    return {
      id: randomUUID(),
      type,
      timestamp: (this.options.clock?.now() ?? new Date()).toISOString(),
      authors: [{ id: randomUUID(), type: 'person' }],
      attempt_number: 1,
      api_version: '2025-09-03',
      entity: { id: pageId, type: 'page' },
      data: { parent: { id: board.databaseId, type: 'database', data_source_id: board.id } },
      ...more,
    };
  }

  rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.app.databaseUrl, text, values);
  }

  /** The users whose boards are to be ranked. */
  async marked(): Promise<string[]> {
    const rows = await this.rows<{ key: string }>(
      `select key from job where queue = 'notion-sync' order by key`,
    );
    return rows.map(({ key }) => key);
  }

  /** Resolves when the boards of all these users are to be ranked. */
  async untilMarked(...users: readonly NotionUser[]): Promise<void> {
    await until(
      `the boards of ${users.map(({ name }) => name).join(', ')} are marked`,
      async () => {
        const marked = await this.marked();
        return users.every(({ id }) => marked.includes(id));
      },
    );
  }

  async isMarked(user: NotionUser): Promise<boolean> {
    return (await this.marked()).includes(user.id);
  }

  /** Deletes all marks, as if the boards had been ranked. */
  async forgetMarks(): Promise<void> {
    await this.rows(`delete from job where queue = 'notion-sync'`);
  }

  /** The pages that wait to be read, in the order in which they will be read. */
  async waiting(): Promise<string[]> {
    const rows = await this.rows<{ id: string }>(
      `select page_id as id from notion_read order by turn, asked_at, page_id`,
    );
    return rows.map(({ id }) => id);
  }

  /** Resolves when no page waits to be read. */
  async untilRead(): Promise<void> {
    await until('all pages are read', async () => (await this.waiting()).length === 0);
  }

  /** The assignees of a page when it was last read; null if the page is not known. */
  async knownAssignees(pageId: string): Promise<string[] | null> {
    const [row] = await this.rows<{ ids: string[] }>(
      `select assignee_ids as ids from notion_page where page_id = $1`,
      [pageId],
    );
    return row?.ids ?? null;
  }

  /** Creates a task and waits until the application knows it. */
  async known(said: Parameters<Board['task']>[0]): Promise<NotionPage> {
    const task = this.board.task(said);
    await until('the page is known', async () => (await this.knownAssignees(task.id)) !== null);
    await this.untilRead();
    await this.forgetMarks();
    return task;
  }

  /** Runs `work`, waits until no page waits to be read, and returns how many reads there were. */
  async readsBy(work: () => Promise<unknown>): Promise<number> {
    const before = this.pageReads;
    await work();
    await this.untilRead();
    return this.pageReads - before;
  }

  /** How many calls to Notion have read a page. */
  get pageReads(): number {
    return this.notion.journal.calls('getPage').length;
  }

  /** How many calls to Notion have read this page. */
  readsOf(pageId: string): number {
    const calls = this.notion.journal.calls('getPage');
    return calls.filter(({ params }) => JSON.stringify(params).includes(pageId)).length;
  }

  async metric(name: string, app = this.app): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  }

  /** How often an event had this outcome, on the first replica. */
  events(outcome: string): Promise<number> {
    return this.metric(`colloquy_notion_events_total{outcome="${outcome}"}`);
  }

  pages(outcome: string): Promise<number> {
    return this.metric(`colloquy_notion_event_pages_total{outcome="${outcome}"}`);
  }

  /** How many log lines contain this text. */
  told(part: string): number {
    return this.app.log.count(part);
  }

  /** The status of the readiness probe, and the trouble that it reports. */
  async ready(): Promise<{ status: number; trouble: string | null }> {
    const response = await fetch(`${this.app.url}/health/ready`);
    const { details } = (await response.json()) as {
      details: { notion_webhook: { trouble?: string } };
    };
    return { status: response.status, trouble: details.notion_webhook.trouble ?? null };
  }

  private get appOptions() {
    const { env, clock, isWorking = clock === undefined } = this.options;
    return {
      env: {
        NOTION_TOKEN: this.notion.token,
        NOTION_API_URL: this.notion.url,
        NOTION_DATA_SOURCE_ID: this.board.id,
        NOTION_WEBHOOK_TOKEN: this.notion.webhooks.token,
        NOTION_AUTOMATION_SECRET: SECRET,
        NOTION_MAX_RPS: '100',
        NOTION_TOKEN_CAPACITY: '100',
        NOTION_BUDGET_PER_MINUTE: '1000',
        // Tests look at marked boards, so no board may be ranked meanwhile.
        NOTION_DEBOUNCE_MS: '15000',
        NOTION_SWEEP_SHARE: '0',
        ...env,
      },
      isWorking,
      ...(clock === undefined ? {} : { clock }),
    };
  }
}

const PAGE_TYPES = [
  'page.created',
  'page.properties_updated',
  'page.deleted',
  'page.undeleted',
  'page.moved',
] as const;

export function signatureOf(body: string | Buffer, token: string): string {
  return `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;
}
