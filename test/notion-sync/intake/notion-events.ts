import { createHmac, randomUUID } from 'node:crypto';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import type { FakeClock } from '../../../tools/support/fake-clock';
import {
  type Board,
  type Delivery,
  type NotionPage,
  type NotionServer,
  type NotionUser,
} from '../../../tools/fake-notion';
import { until } from '../../support/until';
import { WEBHOOK_SECRET as SECRET } from '../../support/secrets';

export { SECRET };
export const EVENTS = '/webhooks/notion';
export const AUTOMATION = '/webhooks/notion/automation';

interface Options {
  readonly env?: Record<string, string>;
  /** Stands still unless a test moves it; jobs are then claimed only by `tick`. */
  readonly clock?: FakeClock;
  readonly isWorking?: boolean;
  /** False: the API is unavailable when the application starts. */
  readonly isUp?: boolean;
}

/** An application that is connected to one board, and what it stores about the events of Notion. */
export class NotionEvents {
  private readonly prompt: Delivery;

  private constructor(readonly app: TestApp) {
    this.prompt = app.notion.webhooks.feed.delivery;
  }

  static async start({ env, clock, isWorking, isUp = true }: Options = {}): Promise<NotionEvents> {
    const app = await startTestApp({
      // Tests look at marked boards, so no board may be ranked meanwhile.
      env: { NOTION_AUTOMATION_SECRET: SECRET, NOTION_DEBOUNCE_MS: '15000', ...env },
      isWorking: isWorking ?? clock === undefined,
      notion: { isUp, sendsEvents: true },
      ...(clock === undefined ? {} : { clock }),
    });
    return new NotionEvents(app);
  }

  get notion(): NotionServer {
    return this.app.notion;
  }

  get board(): Board {
    return this.app.board;
  }

  another(): Promise<TestApp> {
    return startReplica(this.app);
  }

  /** From now on Notion sends its events to the application. */
  listen(delivery: Partial<Delivery> = {}): void {
    this.notion.webhooks.feed.delivery = { ...this.prompt, types: PAGE_TYPES, ...delivery };
    this.notion.webhooks.sendTo(`${this.app.url}${EVENTS}`);
  }

  close(): Promise<void> {
    return this.app.close();
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
      timestamp: this.app.realOrFakeClock.now().toISOString(),
      authors: [{ id: randomUUID(), type: 'person' }],
      attempt_number: 1,
      api_version: '2025-09-03',
      entity: { id: pageId, type: 'page' },
      data: { parent: { id: board.databaseId, type: 'database', data_source_id: board.id } },
      ...more,
    };
  }

  /** The users whose boards are to be ranked. */
  async marked(): Promise<string[]> {
    const rows = await this.app.sql<{ key: string }>(
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

  /** Deletes all marks, as if the boards had been ranked. */
  async forgetMarks(): Promise<void> {
    await this.app.sql(`delete from job where queue = 'notion-sync'`);
  }

  /** The pages that wait to be read, in the order in which they will be read. */
  async waiting(): Promise<string[]> {
    const rows = await this.app.sql<{ id: string }>(
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
    const [row] = await this.app.sql<{ ids: string[] }>(
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

  /** How often an event had this outcome, on the first replica. */
  events(outcome: string): Promise<number> {
    return this.app.metrics('notion_events_total', { outcome });
  }

  pages(outcome: string): Promise<number> {
    return this.app.metrics('notion_event_pages_total', { outcome });
  }

  /** The status of the readiness probe, and the trouble that it reports. */
  async ready(): Promise<{ status: number; trouble: string | null }> {
    const response = await fetch(`${this.app.url}/health/ready`);
    const { details } = (await response.json()) as {
      details: { notion_webhook: { trouble?: string } };
    };
    return { status: response.status, trouble: details.notion_webhook.trouble ?? null };
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
