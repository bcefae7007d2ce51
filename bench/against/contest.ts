/** Both builds with a database each on one PostgreSQL, and what is started of them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openBenchDatabase } from '../lib/database';
import { cpuSeconds } from '../lib/processes';
import { type Build, buildBoth, removeBuilds } from './builds';
import { SIDES, type Side } from './rounds';

const ROOT = path.join(__dirname, '..', '..');
/** Lets SIGUSR2 collect garbage, which no build offers over HTTP. */
const COLLECT = path.join(ROOT, 'bench', 'servers', 'collect.cjs');
/** Both builds must know them. Without the debounce each message gets its reply at once. */
const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  OPENAI_API_KEY: 'bench',
  INTERVIEW_BUFFER_ENABLED: 'false',
  JOB_FLUSH_CONCURRENCY: '2000',
  RATE_LIMIT_PER_MINUTE: '1000000',
  OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
  OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
};
const READY_MS = 60_000;
const POLL_MS = 10;
const STOP_MS = 20_000;

/** A server of one of the builds. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first `ready`. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

export class Contest {
  private readonly children = new Set<ChildProcess>();
  private closed: Promise<void> | undefined;

  private constructor(
    readonly builds: Readonly<Record<Side, Build>>,
    private readonly folder: string,
    private readonly database: { readonly url: string; close(): Promise<void> },
    private readonly client: Client,
    private readonly modelUrl: string,
  ) {}

  /** Builds both, the commit in `folder`, and gives each an empty database. When that fails, what was made is removed. */
  static async open(commit: string, modelUrl: string, folder: string): Promise<Contest> {
    try {
      const builds = buildBoth(commit, folder);
      const database = await openBenchDatabase();
      const client = new Client({ connectionString: database.url });
      await client.connect();
      for (const side of SIDES) await client.query(`create database against_${side}`);
      return new Contest(builds, folder, database, client, modelUrl);
    } catch (error) {
      removeBuilds(folder);
      throw error;
    }
  }

  /** Ends all that was started, and removes all that was made. */
  close(): Promise<void> {
    return (this.closed ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.children].map((child) => end(child)));
    await this.client.end();
    await this.database.close();
    removeBuilds(this.folder);
  }

  /** Starts the built server as a process of its own, `npm start` when that is what is measured. */
  async start(side: Side, by: 'node' | 'npm' = 'node'): Promise<Running> {
    const port = await freePort();
    const [command, args] =
      by === 'npm'
        ? ['npm', ['start', '--silent']]
        : [process.execPath, ['--expose-gc', '-r', COLLECT, path.join('dist', 'main.js')]];
    const log = openSync(this.logOf(side), 'a');
    const startedMs = performance.now();
    const child = spawn(command, args, {
      cwd: this.builds[side].folder,
      env: { ...this.environment(side), PORT: String(port) },
      stdio: ['ignore', log, log],
      // A group of its own: npm starts the server as a child.
      detached: true,
    });
    closeSync(log);
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    const url = `http://127.0.0.1:${port}`;
    try {
      await untilReady(url, child);
    } catch (error) {
      const lines = readFileSync(this.logOf(side), 'utf8').split('\n').slice(-20).join('\n');
      throw new Error(`${this.builds[side].name} does not serve:\n${lines}`, { cause: error });
    }
    const readyMs = performance.now() - startedMs;
    return { url, pid: child.pid ?? 0, readyMs, stop: () => end(child) };
  }

  /** Runs the command line of a build to its end. Returns what it prints, and how long it takes. */
  command(side: Side, args: readonly string[]): { readonly printed: string; readonly ms: number } {
    const { folder, name } = this.builds[side];
    const startedMs = performance.now();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(folder, 'scripts', 'colloquy.mjs'), ...args],
      { cwd: folder, env: this.environment(side), encoding: 'utf8' },
    );
    const ms = performance.now() - startedMs;
    if (status !== 0) throw new Error(`${name}, colloquy ${args.join(' ')}: ${stdout}${stderr}`);
    return { printed: stdout, ms };
  }

  /** Imports a vacancy of that many open questions; returns the token of its open link. */
  importVacancy(side: Side, questions: number, slug = 'against'): string {
    const file = path.join(this.folder, `${side}.yaml`);
    writeFileSync(file, vacancyOf(slug, questions));
    const { printed } = this.command(side, ['vacancy', 'import', file]);
    const token = /open link\s+\S+\/([^/\s]+)\s/.exec(printed)?.[1];
    if (token === undefined) throw new Error(`the import printed no open link: ${printed}`);
    return token;
  }

  /**
   * Processor seconds of PostgreSQL so far by process, for the database of a build and for what serves all databases. The
   * other build is idle meanwhile, and left out.
   */
  async postgres(side: Side): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = $1 or datname is null`,
      [`against_${side}`],
    );
    return new Map(rows.flatMap(({ pid }) => secondsOf(pid)));
  }

  private logOf(side: Side): string {
    return path.join(this.folder, `${side}.log`);
  }

  private environment(side: Side): Record<string, string> {
    const url = new URL(this.database.url);
    url.pathname = `/against_${side}`;
    const { PATH = '', HOME = '' } = process.env;
    return { PATH, HOME, ...SETTINGS, DATABASE_URL: url.href, OPENAI_BASE_URL: this.modelUrl };
  }
}

/** What they have used between two readings. A process that has ended in between is left out. */
export function secondsBetween(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number {
  return [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}

function secondsOf(pid: number): [number, number][] {
  try {
    return [[pid, cpuSeconds(pid)]];
  } catch {
    // It has ended since the query.
    return [];
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + READY_MS;
  while (performance.now() < endMs && child.exitCode === null) {
    const response = await fetch(`${url}/health/ready`).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await sleep(POLL_MS);
  }
  throw new Error('not ready in time');
}

/** Ends the process and its group; kills what does not end. */
async function end({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const endMs = performance.now() + STOP_MS;
    for (let isAlive = sent(-pid, signal); isAlive; isAlive = sent(-pid, 0)) {
      if (performance.now() > endMs) break;
      await sleep(POLL_MS);
    }
  }
}

/** False: none of the group is left. */
function sent(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(group, signal);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function vacancyOf(slug: string, questions: number): string {
  const lines = Array.from({ length: questions }, (_, n) => {
    const text = `Which grain do you bake in week ${n + 1}?`;
    return `  - { id: q${n + 1}, text: "${text}", rubric: Anything. }`;
  });
  return [
    `slug: ${slug}`,
    'language: en',
    'title: Baker',
    'company: Bench',
    'owner: { name: Ada Lovelace }',
    'greeting: Hello.',
    'closing: Thank you.',
    'questions:',
    ...lines,
    '',
  ].join('\n');
}
