import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { stringify } from 'yaml';
import { migrate } from '../../src/persistence';
import {
  type EmbeddedPostgres,
  homesOf,
  startEmbeddedPostgres,
} from '../../src/persistence/embedded';
import { unusedPort } from '../fake-network/load-balancer';
import { NotionServer } from '../fake-notion';
import { type Filled, fill } from '../fake-notion/demo/fill';
import { TelegramServer } from '../fake-telegram';
import { FaultProxy } from './fault-proxy';
import { Stalls } from './frozen-time';
import { InvitingProgram } from './inviting-program';
import { Replica } from './replica';
import { type Link, REPLICAS } from './schedule';
import { StormModel } from './storm-model';

const ROOT = path.resolve(__dirname, '../..');
export const ADMIN_TOKEN = 'the-admin-token-of-the-storm-0123456789';
export const LEASE_MS = 4000;
/** How long a replica may take for its shutdown. */
export const SHUTDOWN_MS = 8000;

/** Short times, so that a storm of a minute sees each of them end. What is not named is the default. */
const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_OF_KEY_PER_MINUTE: '1000000',
  OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
  OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
  ADMIN_TOKEN,
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '1',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.8',
  INTERVIEW_BUFFER_LEARNING: 'false',
  OPENAI_API_KEY: 'sk-storm',
  OPENAI_FIRST_BYTE_TIMEOUT: '2',
  OPENAI_IDLE_TIMEOUT: '2',
  TELEGRAM_MODE: 'webhook',
  TELEGRAM_WEBHOOK_SECRET: 'the-webhook-secret-of-the-storm-0123456789',
  TELEGRAM_TIMEOUT: '3',
  DELIVERY_TIMEOUT: '3',
  JOB_LEASE: String(LEASE_MS / 1000),
  SHUTDOWN_DEADLINE: String(SHUTDOWN_MS / 1000),
  NOTION_TIMEOUT_MS: '3000',
  NOTION_LOGGING: 'false',
  // A board is ranked soon after an edit, so that the budget is always in use.
  NOTION_DEBOUNCE_MS: '300',
  NOTION_DEBOUNCE_MAX_MS: '1000',
};
const MAX_CONNECTIONS = '120';
const QUESTIONS = 30;

/** The peers, the proxies before them, PostgreSQL with fsync, and the replicas: all that faults happen to. */
export class StormSetup {
  readonly stalls = new Stalls();

  private constructor(
    readonly folder: string,
    readonly databaseUrl: string,
    private readonly postgres: EmbeddedPostgres,
    readonly model: StormModel,
    readonly telegram: TelegramServer,
    readonly notion: NotionServer,
    readonly board: Filled,
    private readonly proxies: ReadonlyMap<Link, FaultProxy>,
    readonly replicas: readonly Replica[],
  ) {}

  static async open(bug: string | null, log: (line: string) => void): Promise<StormSetup> {
    const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-storm-'));
    chmodSync(folder, 0o755);
    const [postgres, model, telegram, notion] = await Promise.all([
      startEmbeddedPostgres({
        dataDir: path.join(folder, 'data'),
        log,
        parameters: { max_connections: MAX_CONNECTIONS },
      }),
      StormModel.start(),
      TelegramServer.start(),
      NotionServer.start(),
    ]);
    await migrate(postgres.url);
    const board = fill(notion, { people: 6, tasksEach: 5, today: new Date(Date.now()) });
    const ports = await Promise.all(Array.from({ length: REPLICAS }, () => unusedPort()));
    const proxies = new Map<Link, FaultProxy>();
    const portOf = (url: string): number => Number(new URL(url).port);
    for (let n = 0; n < REPLICAS; n += 1) {
      proxies.set(`database ${n}`, await FaultProxy.open(portOf(postgres.url)));
    }
    proxies.set('model', await FaultProxy.open(model.port));
    proxies.set('telegram', await FaultProxy.open(portOf(telegram.apiRoot)));
    proxies.set('notion', await FaultProxy.open(portOf(notion.url)));
    proxies.set('front', await FaultProxy.open(...ports));
    const at = (link: Link): FaultProxy => found(proxies, link);
    const replicas = ports.map((port, n) => {
      const env = {
        ...SETTINGS,
        ...(bug === null ? {} : { STORM_BUG: bug }),
        DATABASE_URL: at(`database ${n}`).through(postgres.url),
        PUBLIC_URL: `http://localhost:${String(at('front').port)}`,
        OPENAI_BASE_URL: `http://127.0.0.1:${String(at('model').port)}/v1`,
        TELEGRAM_BOT_TOKEN: telegram.token,
        TELEGRAM_API_ROOT: `http://127.0.0.1:${String(at('telegram').port)}`,
        NOTION_TOKEN: notion.token,
        NOTION_API_URL: `http://127.0.0.1:${String(at('notion').port)}`,
        NOTION_DATA_SOURCE_ID: board.board.id,
        NOTION_WEBHOOK_TOKEN: notion.webhooks.token,
      };
      return new Replica(port, env, path.join(folder, `replica-${String(n)}.log`));
    });
    return new StormSetup(
      folder,
      postgres.url,
      postgres,
      model,
      telegram,
      notion,
      board,
      proxies,
      replicas,
    );
  }

  /** Where candidates, Telegram and Notion reach the replicas. */
  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.proxy('front').port)}`;
  }

  proxy(link: Link): FaultProxy {
    return found(this.proxies, link);
  }

  /** Starts the replicas and imports the vacancy; returns its open token. */
  async begin(): Promise<string> {
    const openToken = await this.importVacancy();
    for (const replica of this.replicas) replica.start();
    for (const replica of this.replicas) await replica.ready();
    this.notion.webhooks.sendTo(`${this.baseUrl}/webhooks/notion`);
    return openToken;
  }

  /** A program with a key of its own, which it gets while all is calm. */
  async program(present: AbortSignal, complaints: string[]): Promise<InvitingProgram> {
    const { baseUrl } = this;
    const response = await fetch(`${baseUrl}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'storm',
        scopes: ['invitations:write'],
        vacancies: [VACANCY.slug],
      }),
    });
    if (!response.ok) throw new Error(`the key was not made: ${await response.text()}`);
    const { token } = (await response.json()) as { token: string };
    return new InvitingProgram({ baseUrl, vacancy: VACANCY.slug, token, present, complaints });
  }

  /** Rows of one statement, on a connection of its own that no proxy touches. */
  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const connectionString = this.databaseUrl;
    const client = new Client({ connectionString, application_name: 'storm-outside' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** kill -9 of PostgreSQL; its supervisor starts it again at the same port. */
  killDatabase(): void {
    const pid = Number(readFileSync(this.pidFile, 'utf8').split('\n')[0]);
    // A server that was just killed leaves its file, and its number may be another process's by now.
    const command = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
    if (!command.includes(path.dirname(this.pidFile))) throw new Error('PostgreSQL is not running');
    process.kill(pid, 'SIGKILL');
  }

  /** Ends every fault of the network, the peers and the processes. */
  heal(): void {
    for (const proxy of this.proxies.values()) proxy.heal();
    this.model.heal();
    this.telegram.faults.clear();
    this.telegram.faults.release();
    this.notion.faults.clear();
    this.notion.faults.release();
    for (const replica of this.replicas) replica.heal();
  }

  /** `keepsFolder`: the logs stay, for somebody who looks for the reason of a violation. */
  async close({ keepsFolder }: { keepsFolder: boolean }): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    for (const proxy of this.proxies.values()) await proxy.close();
    await this.model.close();
    await this.telegram.close();
    await this.notion.close();
    await this.postgres.stop();
    this.stalls.stop();
    if (!keepsFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  private get pidFile(): string {
    const homes = homesOf(path.resolve(this.postgres.location.dataDir));
    const files = homes.map((home) => path.join(home, 'cluster', 'postmaster.pid'));
    const file = files.find((name) => existsSync(name));
    if (file === undefined) throw new Error('PostgreSQL is not running');
    return file;
  }

  private async importVacancy(): Promise<string> {
    const file = path.join(this.folder, 'vacancy.yaml');
    writeFileSync(file, stringify(VACANCY));
    const command = path.join(ROOT, 'scripts', 'colloquy.mjs');
    const { status, stderr } = spawnSync(process.execPath, [command, 'vacancy', 'import', file], {
      env: { PATH: process.env.PATH, DATABASE_URL: this.databaseUrl },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the vacancy was not imported: ${stderr}`);
    const [row] = await this.rows<{ open_token: string }>(
      'select open_token from vacancy where slug = $1',
      [VACANCY.slug],
    );
    if (row === undefined) throw new Error('the vacancy is not stored');
    return row.open_token;
  }
}

function found(proxies: ReadonlyMap<Link, FaultProxy>, link: Link): FaultProxy {
  const proxy = proxies.get(link);
  if (proxy === undefined) throw new Error(`there is no link "${link}"`);
  return proxy;
}

const VACANCY = {
  slug: 'storm',
  language: 'en',
  title: 'Storm watcher',
  company: 'Harbourline',
  owner: { name: 'Ada Whelan' },
  greeting: 'Welcome to the storm.',
  closing: 'Thank you. The storm is over.',
  reminders: 0,
  questions: Array.from({ length: QUESTIONS }, (_, n) => ({
    id: `question-${String(n + 1)}`,
    rubric: 'The token of the answer.',
    text: `What did you see in the storm, part ${String(n + 1)}?`,
  })),
};
