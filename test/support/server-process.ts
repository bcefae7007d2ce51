import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { CandidateHost } from './candidate';
import { PROCESS_TIMEOUT_MS, until } from './until';

const ROOT = path.resolve(__dirname, '../..');
const RUNNER = ['-r', path.join(ROOT, 'tools/support/swc-register.cjs')];

/** Short windows, and replies written at once. */
const FAST = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
  // Tests wait for the set quiet time; test/buffer/learned-quiet-time.spec.ts tests the learned one.
  INTERVIEW_BUFFER_LEARNING: 'false',
  INTERVIEW_SCRIPTED_PACE: '0',
  JOB_POLL: '0.05',
  JOB_LEASE: '1.5',
  RATE_LIMIT_PER_MINUTE: '100000',
  RATE_LIMIT_OF_KEY_PER_MINUTE: '100000',
  OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
  OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
  OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
  SHUTDOWN_DEADLINE: '10',
};

export type Environment = Readonly<Record<string, string>>;

/** Colloquy as a process of its own, run from the sources. Tests use it only from outside. */
export class ServerProcess {
  out = '';
  err = '';
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;

  private constructor(env: Environment, program: readonly string[]) {
    this.child = spawn(process.execPath, [...RUNNER, ...program], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...FAST, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.exited = once(this.child, 'close').then(([code, signal]) => (code ?? signal) as number);
    RUNNING.add(this);
    void this.exited.then(() => RUNNING.delete(this));
  }

  /** Starts it; `url` is known once it is `ready()`. */
  static start(env: Environment, program: readonly string[] = ['src/main.ts']): ServerProcess {
    return new ServerProcess(env, program);
  }

  /** Starts it and waits until it serves. */
  static async serve(env: Environment, program?: readonly string[]): Promise<ServerProcess> {
    const server = ServerProcess.start(env, program);
    await server.ready();
    return server;
  }

  /** For the end of a test file: kills all processes that it started. */
  static async killAll(): Promise<void> {
    for (const server of RUNNING) server.signal('SIGKILL');
    await Promise.all([...RUNNING].map(({ exited }) => exited));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where it listens. */
  get url(): string {
    const port = PORT.exec(this.out)?.[1];
    if (port === undefined) throw new Error(`the server is not ready: ${this.lastWords}`);
    return `http://127.0.0.1:${port}`;
  }

  /** For candidates: its address and the first open link that it printed, without a PUBLIC_URL. */
  get host(): CandidateHost {
    const openToken = LINK.exec(this.out)?.[1] ?? '';
    return { url: this.url, vacancy: { openToken } };
  }

  /** Its log, one object a line. */
  get log(): { readonly msg: string; readonly level: number; readonly context?: string }[] {
    const lines = this.out.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as { msg: string; level: number });
  }

  async ready(): Promise<void> {
    const isOver = (): boolean => PORT.test(this.out) || !this.isRunning;
    await until('the server is ready', isOver, PROCESS_TIMEOUT_MS);
    if (!this.isRunning) throw new Error(`the server ended: ${this.lastWords}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Stops reading its stdout. */
  closeOutput(): void {
    this.child.stdout.destroy();
  }

  /** Resolves when it has written this to stdout. */
  async told(words: string): Promise<void> {
    await until(`it says "${words}"`, () => this.out.includes(words), PROCESS_TIMEOUT_MS);
  }

  /** Status of a GET; 0 without a response. */
  async status(place: string): Promise<number> {
    return fetch(`${this.url}${place}`).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => 0,
    );
  }

  /** Sends SIGTERM and returns the exit code, or the signal that ended it. */
  async stop(): Promise<number | string> {
    this.signal('SIGTERM');
    return this.exited;
  }

  private get lastWords(): string {
    return `${this.out}${this.err}`.slice(-1000);
  }
}

/** Matches the first candidate link that it prints when it is ready: port and token. */
/** In the line of the start. */
const PORT = /"port":(\d+)/;
const LINK = /http:\/\/localhost:\d+\/i\/([\w-]+)/;
const RUNNING = new Set<ServerProcess>();
