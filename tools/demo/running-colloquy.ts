import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { newToken } from '../../src/common/ids';
import { findRunningEmbeddedPostgres, homesOf } from '../../src/persistence/embedded';

const ROOT = path.resolve(__dirname, '../..');
const BOOT_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** A shutdown that takes longer is ended by force. */
const STOP_TIMEOUT_MS = 20_000;
/** Settings of a real deployment, which must not reach a demo that is started in the same shell. */
const NOT_FOR_DEMOS =
  /^(DATABASE_|PUBLIC_URL|TELEGRAM_|NOTION_|ADMIN_TOKENS|MANAGEMENT_TOKEN|ALERT_|TRUST_PROXY|OPENAI_)/;

export interface DemoVacancy {
  readonly language: 'en' | 'ru';
  readonly title: string;
  readonly company: string;
  readonly openToken: string;
}

export interface ColloquySettings {
  /** The folder of its database and its log, inside .data/ unless COLLOQUY_DATA_DIR is set. */
  readonly folder: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Colloquy as a process of its own for a demo, with an embedded database that is new in each run,
 * because the Telegram and the Notion of a demo begin anew as well. Its log goes to a file.
 */
export class RunningColloquy {
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    readonly baseUrl: string,
    readonly adminToken: string,
    readonly logFile: string,
  ) {
    this.ended = once(child, 'exit').then(() => undefined);
  }

  private pool: Pool | null = null;
  vacancies: readonly DemoVacancy[] = [];
  /** Whether no model writes its replies. */
  areRepliesPlayed = true;

  /** Starts it and waits until it serves. `onStart` is called at once, so that a signal can stop it. */
  static async start(
    { folder, port, env }: ColloquySettings,
    onStart: (colloquy: RunningColloquy) => void,
  ): Promise<RunningColloquy> {
    const dataDir = path.resolve(ROOT, process.env.COLLOQUY_DATA_DIR ?? path.join('.data', folder));
    await clear(dataDir);
    const adminToken = process.env.ADMIN_TOKEN ?? newToken();
    const logFile = path.join(dataDir, 'colloquy.log');
    const log = openSync(logFile, 'w');
    const given = Object.entries(process.env).filter(([name]) => !NOT_FOR_DEMOS.test(name));
    const child = spawn(process.execPath, [path.join(ROOT, 'dist', 'main.js')], {
      cwd: ROOT,
      env: {
        RATE_LIMIT_PER_MINUTE: '100000',
        RATE_LIMIT_OF_KEY_PER_MINUTE: '100000',
        OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
        OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
        OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
        OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
        SHUTDOWN_DEADLINE: '5',
        ...env,
        ...Object.fromEntries(given),
        HOST: '127.0.0.1',
        PORT: String(port),
        COLLOQUY_DATA_DIR: dataDir,
        ADMIN_TOKEN: adminToken,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const baseUrl = `http://localhost:${String(port)}`;
    const colloquy = new RunningColloquy(child, baseUrl, adminToken, logFile);
    onStart(colloquy);
    await colloquy.ready();
    await colloquy.openDatabase(dataDir);
    return colloquy;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Rows of its database. */
  async rows<Row>(statement: string): Promise<Row[]> {
    const { rows } = (await this.pool?.query(statement)) ?? { rows: [] };
    return rows as Row[];
  }

  /** Lets it finish what it has begun, and waits until it and its database have ended. */
  async stop(): Promise<void> {
    await this.pool?.end();
    this.pool = null;
    if (!this.isRunning) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  private async ready(): Promise<void> {
    const deadline = performance.now() + BOOT_TIMEOUT_MS;
    while (this.isRunning && performance.now() < deadline) {
      const response = await fetch(`${this.baseUrl}/health/ready`).catch(() => null);
      await response?.arrayBuffer();
      if (response?.ok === true) return;
      await pause(LOOK_EVERY_MS);
    }
    const lines = readFileSync(this.logFile, 'utf8').trim().split('\n');
    const last = lines.filter((line) => !/^\s+at /.test(line)).slice(-5);
    throw new Error(`Colloquy did not start. The end of ${this.logFile}:\n${last.join('\n')}`);
  }

  private async openDatabase(dataDir: string): Promise<void> {
    const url = await findRunningEmbeddedPostgres(dataDir);
    if (url === null) throw new Error(`there is no database in ${dataDir}`);
    this.pool = new Pool({ connectionString: url, max: 1, application_name: 'colloquy-demo' });
    // The server ends the connection when it stops, which is no error here.
    this.pool.on('error', () => undefined);
    this.vacancies = await this.rows<DemoVacancy>(
      'select language, title, company, open_token as "openToken" from vacancy order by language',
    );
  }
}

/** Removes what an earlier run has left. */
async function clear(dataDir: string): Promise<void> {
  if ((await findRunningEmbeddedPostgres(dataDir)) !== null) {
    throw new Error(`This demo is running already, on the data in ${dataDir}: stop it first.`);
  }
  mkdirSync(dataDir, { recursive: true });
  for (const home of homesOf(await realpath(dataDir))) {
    await rm(home, { recursive: true, force: true });
  }
}

/** The wanted port if it is free on 127.0.0.1, else any free one. 0: any. */
export async function freePort(wanted: number): Promise<number> {
  const probe = createServer();
  const port = await new Promise<number | null>((resolve) => {
    probe.once('error', () => {
      resolve(null);
    });
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      resolve(typeof address === 'object' ? (address?.port ?? null) : null);
    });
  });
  if (port === null) return freePort(0);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
