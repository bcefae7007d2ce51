/**
 * A small program in place of Colloquy: the embedded starter compiled into a folder, and a main file
 * that starts the database, reports its address, and drains on a signal as the application does.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { transformFile } from '@swc/core';

const PROJECT = path.resolve(__dirname, '../../..');
/** The starter, and what it imports. */
const SOURCES = ['persistence/embedded', 'common/errors.ts', 'common/check-outcome.ts'];

const PROGRAM = `
const { startEmbeddedPostgres } = require('./dist/persistence/embedded');
const { Client } = require('pg');
const say = (words) => process.stdout.write(JSON.stringify(words) + '\\n');
const [dataDir, behaviour] = process.argv.slice(2);
async function drain(server) {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('select pg_sleep(0.3)');
  await client.end();
  say({ drained: true });
  await server.stop();
  process.exit(0);
}
startEmbeddedPostgres({ dataDir, log: (line) => say({ log: line }) }).then(
  (server) => {
    if (behaviour !== 'forgetful') {
      setInterval(() => undefined, 60_000);
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => drain(server));
    }
    say({ url: server.url, ...server.location });
  },
  (error) => say({ error: error.name, message: error.message }),
);
`;

export interface HostWords {
  readonly url?: string;
  readonly dataDir?: string;
  readonly relocated?: boolean;
  readonly log?: string;
  readonly drained?: boolean;
  readonly error?: string;
  readonly message?: string;
}

export class Host {
  readonly words: HostWords[] = [];
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  private readonly child: ChildProcessByStdio<null, Readable, null>;
  private readonly waiting = new Set<() => void>();

  constructor(folder: string, args: string[], user: { uid?: number; gid?: number } = {}) {
    this.child = spawn(process.execPath, [path.join(folder, 'host.cjs'), ...args], {
      cwd: '/',
      detached: true, // a group of its own, as a terminal gives it
      stdio: ['ignore', 'pipe', 'inherit'],
      ...user,
    });
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        resolve(code ?? signal);
        this.notify();
      });
    });
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      this.words.push(JSON.parse(line) as HostWords);
      this.notify();
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The first message with this key; fails when the program ends without one. */
  async said<K extends keyof HostWords>(key: K): Promise<NonNullable<HostWords[K]>> {
    for (;;) {
      const found = this.words.find((words) => words[key] !== undefined)?.[key];
      if (found !== undefined) return found;
      if (!this.isRunning()) {
        throw new Error(`ended without ${key}: ${JSON.stringify(this.words)}`);
      }
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Signals the whole process group, as a terminal does at Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** For the end of a test: kills the program unless it has ended. */
  async end(): Promise<void> {
    if (this.isRunning()) this.signal('SIGKILL');
    await this.exited;
  }

  private isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  private notify(): void {
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

/** A new folder under the system's temporary one, which every user may enter. */
export async function openFolder(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `colloquy-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}

/** Compiles the starter and the program into `folder`; the caller provides its node_modules. */
export async function writeHost(folder: string): Promise<void> {
  for (const part of SOURCES) {
    const isFile = path.extname(part) !== '';
    const from = isFile ? path.dirname(part) : part;
    const target = path.join(folder, 'dist', from);
    await mkdir(target, { recursive: true });
    const names = isFile ? [path.basename(part)] : await readdir(path.join(PROJECT, 'src', part));
    for (const name of names) {
      const source = path.join(PROJECT, 'src', from, name);
      if (name.endsWith('.cjs')) await copyFile(source, path.join(target, name));
      if (!name.endsWith('.ts')) continue;
      const { code } = await transformFile(source, { configFile: path.join(PROJECT, '.swcrc') });
      await writeFile(path.join(target, name.replace(/ts$/, 'js')), code);
    }
  }
  await writeFile(path.join(folder, 'host.cjs'), PROGRAM);
}

/** Links to the project's own packages: all of them, or the named ones. */
export async function linkPackages(folder: string, names?: readonly string[]): Promise<void> {
  const target = path.join(folder, 'node_modules');
  if (names === undefined) return symlink(path.join(PROJECT, 'node_modules'), target);
  await mkdir(target, { recursive: true });
  for (const name of names) {
    await symlink(path.join(PROJECT, 'node_modules', name), path.join(target, name));
  }
  return undefined;
}
