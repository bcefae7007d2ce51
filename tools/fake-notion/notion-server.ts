import { type Clock, SystemClock } from '../../src/common/clock';
import { Listener } from '../http-fake/listener';
import { CallHandler } from './call-handler';
import { Faults } from './faults';
import { RestApi } from './http/rest-api';
import { Journal } from './journal';
import { Limits } from './limits';
import type { Board } from './people/board';
import { Workspace } from './people/workspace';
import { Cursors } from './query/paging';
import { CallSchema } from './schema/call-schema';
import { Automation, type AutomationPlan } from './webhooks/automation';
import { Webhooks } from './webhooks/webhooks';
import { WorkspaceState } from './state/workspace-state';

export interface NotionOptions {
  /** The clock of every delay, limit and retry; by default the machine's. */
  readonly clock?: Clock;
  /** By default 0: a free port. */
  readonly port?: number;
}

/**
 * Notion for tests: its REST API over real HTTP on 127.0.0.1 for one connection, its webhooks, and the
 * people of the workspace. Every call is checked against @notionhq/client: unlike the real server, which
 * is more lenient, this one refuses an unknown or mistyped parameter. The journal records every call.
 */
export class NotionServer {
  readonly journal: Journal;
  readonly faults: Faults;
  readonly limits: Limits;
  readonly workspace: Workspace;
  readonly webhooks: Webhooks;
  /** The connection's token; a test may replace it, and the old one then gets 401. */
  token = 'ntn_test_token_1';
  /** How long every call takes on the clock; it takes effect at the end. */
  latencyMs = 0;
  private readonly state: WorkspaceState;
  private readonly listener: Listener;
  private readonly automations: Automation[] = [];

  private constructor(
    schema: CallSchema,
    private readonly clock: Clock,
    port: number,
  ) {
    const state = new WorkspaceState(clock);
    const notify = (): void => {
      state.changes.notify();
    };
    this.state = state;
    this.journal = new Journal(notify);
    this.faults = new Faults(clock, notify);
    this.limits = new Limits(clock);
    this.workspace = new Workspace(state);
    this.webhooks = new Webhooks(state);
    const { journal, faults, limits } = this;
    const handler = new CallHandler({
      clock,
      schema,
      journal,
      faults,
      limits,
      context: { state, cursors: new Cursors() },
      token: () => this.token,
      latencyMs: () => this.latencyMs,
    });
    const api = new RestApi(handler);
    this.listener = new Listener(async (request, response) => {
      await api.handle(request, response);
      notify();
    }, port);
  }

  /** The first start after an install takes about 10 s, because it generates the schema. */
  static async start({
    clock = new SystemClock(),
    port = 0,
  }: NotionOptions = {}): Promise<NotionServer> {
    const server = new NotionServer(await CallSchema.load(), clock, port);
    await server.comeUp();
    return server;
  }

  /** For NOTION_API_URL and the SDK's `baseUrl`; the same while the server is down. */
  get url(): string {
    return this.listener.url;
  }

  /** The connection's own bot: the result of users/me, and the author of the connection's writes. */
  get botId(): string {
    return this.state.bot.id;
  }

  /** The monotonic time that the journal's entries have. */
  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** How many pages one query returns; if there are more, it only reports that. */
  set queryLimit(limit: number) {
    this.state.queryLimit = limit;
  }

  /** How late queries show a new page, by the clock; 0: at once. */
  set queryLagMs(lagMs: number) {
    this.state.queryLagMs = lagMs;
  }

  /** Sets up "Send webhook" on a board. */
  automation(board: Board, plan: AutomationPlan): Automation {
    const automation = new Automation(this.state, board.id, plan);
    this.automations.push(automation);
    return automation;
  }

  /** Resolves when `isSo` holds, checked after every change; rejects after 10 s of real time. */
  until(what: string, isSo: () => boolean): Promise<void> {
    return this.state.changes.until(what, isSo);
  }

  /** Calls back at every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.state.changes.listen(listener);
  }

  /** Breaks all connections and refuses new ones. */
  goDown(): Promise<void> {
    return this.listener.close();
  }

  /** Listens again at the same address. */
  comeUp(): Promise<void> {
    return this.listener.open();
  }

  /** Leaves no timer, connection or request behind. */
  async close(): Promise<void> {
    for (const automation of this.automations) automation.close();
    this.webhooks.close();
    this.faults.close();
    await this.listener.close();
  }
}
