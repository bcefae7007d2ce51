import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FrozenTime, frozenMsBetween } from './frozen-time';

const ROOT = path.resolve(__dirname, '../..');
const PRELOAD = path.join(__dirname, 'preload.cjs');
const RESTART_AFTER_MS = 500;
const LOOK_EVERY_MS = 100;
const READY_WITHIN_MS = 120_000;
const COMMIT_WITHIN_MS = 6000;
const STOPS_EVERY_MS = 10;

/** What preload.cjs tells. */
interface Message {
  readonly worker?: string;
  readonly isFrozen?: true;
  /** Whose flow it is that is frozen. */
  readonly jobId?: string | null;
}

/** How a process of the application ended. */
export interface ReplicaEnd {
  readonly by: 'exit' | 'signal';
  readonly code: number | null;
  /** After SIGTERM, without the time for which it was frozen; null without one. */
  readonly afterTermMs: number | null;
}

/**
 * One replica of the built application. A process that has ended is started again, as Kubernetes does,
 * until `stop`. Its log is a file.
 */
export class Replica {
  readonly ends: ReplicaEnd[] = [];
  /** Called with the name that a killed process has in the job table. */
  onDeath: (worker: string) => void = () => undefined;
  private worker: string | null = null;
  private child: ChildProcess | null = null;
  private isStopping = false;
  private terminatedMs: number | null = null;
  private readonly frozenTimes: FrozenTime[] = [];
  private frozenSinceMs: number | null = null;
  private over: Promise<void> = Promise.resolve();
  private thawing: NodeJS.Timeout | null = null;
  private isToFreeze = false;

  constructor(
    readonly port: number,
    private readonly env: Readonly<Record<string, string>>,
    private readonly logFile: string,
  ) {}

  start(): void {
    const log = openSync(this.logFile, 'a');
    const child = spawn(process.execPath, ['-r', PRELOAD, path.join(ROOT, 'dist', 'main.js')], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...this.env, PORT: String(this.port) },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    child.on('error', () => undefined);
    // A frozen process does not see that the storm has ended.
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    this.worker = null;
    child.on('message', (message: Message) => {
      this.worker = message.worker ?? this.worker;
    });
    this.child = child;
    this.terminatedMs = null;
    this.over = once(child, 'exit').then(([code]) => {
      this.ended(code as number | null);
    });
  }

  get isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Of all its processes, up to now. */
  get frozen(): readonly FrozenTime[] {
    const { frozenSinceMs: fromMs } = this;
    return fromMs === null
      ? this.frozenTimes
      : [...this.frozenTimes, { fromMs, toMs: performance.now() }];
  }

  async ready(): Promise<void> {
    const untilMs = performance.now() + READY_WITHIN_MS;
    while (performance.now() < untilMs) {
      const signal = AbortSignal.timeout(2000);
      const url = `http://127.0.0.1:${String(this.port)}/health/ready`;
      const response = await fetch(url, { signal }).catch(() => null);
      await response?.arrayBuffer().catch(() => undefined);
      if (response?.ok === true) return;
      await pause(LOOK_EVERY_MS);
    }
    throw new Error(`a replica is not ready: see ${this.logFile}`);
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  terminate(): void {
    this.terminatedMs ??= performance.now();
    this.child?.kill('SIGTERM');
  }

  /** SIGSTOP now, SIGCONT after `forMs`. */
  freeze(forMs: number): void {
    const { child } = this;
    child?.kill('SIGSTOP');
    this.frozenSinceMs ??= performance.now();
    this.thawing = setTimeout(() => {
      this.thaw(child);
    }, forMs);
  }

  /**
   * SIGSTOP right before the next commit of this name, SIGCONT after `until`, which is given the job that makes
   * it. Throws if no such commit comes, or while another one is waited for.
   */
  async freezeAtCommit(
    commit: string,
    until: (jobId: string | null) => Promise<void>,
  ): Promise<void> {
    // The process knows one commit, and the end of either wait would end both.
    if (this.isToFreeze) throw new Error('the replica waits for another commit already');
    this.isToFreeze = true;
    try {
      await this.frozenAtCommit(commit, until);
    } finally {
      this.isToFreeze = false;
    }
  }

  private async frozenAtCommit(
    commit: string,
    until: (jobId: string | null) => Promise<void>,
  ): Promise<void> {
    const { child } = this;
    const frozen = new Promise<Message | null>((resolve) => {
      const hear = (message: Message): void => {
        if (message.isFrozen === true) resolve(message);
      };
      child?.on('message', hear);
      void pause(COMMIT_WITHIN_MS, undefined, { ref: false }).then(() => {
        child?.off('message', hear);
        resolve(null);
      });
    });
    this.tell({ kind: 'freeze_at_commit', commit });
    const message = await frozen;
    if (message === null) {
      this.tell({ kind: 'freeze_at_commit', commit: null });
      throw new Error('the commit did not come');
    }
    this.frozenSinceMs ??= performance.now();
    await hasStopped(child);
    await until(message.jobId ?? null);
    this.thaw(child);
  }

  /** A message for preload.cjs. */
  tell(message: object): void {
    if (this.child?.connected === true) this.child.send(message, () => undefined);
  }

  /** Ends what a fault has begun. */
  heal(): void {
    if (this.thawing !== null) clearTimeout(this.thawing);
    this.thaw(this.child);
    this.tell({ kind: 'kill_at_commit', commit: null });
    this.tell({ kind: 'freeze_at_commit', commit: null });
    this.tell({ kind: 'jump_clock', byMs: 0 });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    if (!this.isRunning) return;
    this.child?.kill('SIGCONT');
    this.child?.kill('SIGKILL');
    await this.over;
  }

  private thaw(child: ChildProcess | null): void {
    child?.kill('SIGCONT');
    if (child === this.child) this.noteThawed();
  }

  private noteThawed(): void {
    const { frozenSinceMs: fromMs } = this;
    if (fromMs !== null) this.frozenTimes.push({ fromMs, toMs: performance.now() });
    this.frozenSinceMs = null;
  }

  private ended(code: number | null): void {
    this.noteThawed();
    const { terminatedMs } = this;
    const nowMs = performance.now();
    this.ends.push({
      by: code === null ? 'signal' : 'exit',
      code,
      afterTermMs:
        terminatedMs === null
          ? null
          : nowMs - terminatedMs - frozenMsBetween(this.frozenTimes, terminatedMs, nowMs),
    });
    if (this.isStopping) return;
    if (code === null && this.worker !== null) this.onDeath(this.worker);
    setTimeout(() => {
      if (!this.isStopping) this.start();
    }, RESTART_AFTER_MS);
  }
}

/** The process says that it stops before it does so, and a SIGCONT in between would be lost. */
async function hasStopped(child: ChildProcess | null): Promise<void> {
  while (child?.exitCode === null && child.signalCode === null) {
    const stat = readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8');
    if (stat.slice(stat.lastIndexOf(')')).startsWith(') T')) return;
    await pause(STOPS_EVERY_MS);
  }
}
