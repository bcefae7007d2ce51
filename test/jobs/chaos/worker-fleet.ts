import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const PROGRAM = path.join(__dirname, 'worker-process.ts');
const HOOK = path.join(__dirname, '../../support/swc-register.cjs');

interface Member {
  process: ChildProcess;
  isReady: boolean;
  isFrozen: boolean;
}

/** Real worker processes that are killed, frozen and thawed, and never fewer than `size`. */
export class WorkerFleet {
  private readonly members: Member[] = [];
  private seed: number;
  kills = 0;
  freezes = 0;

  constructor(
    private readonly url: string,
    options: { size: number; seed: number },
  ) {
    this.seed = options.seed;
    for (let n = 0; n < options.size; n += 1) this.members.push(this.spawn());
  }

  /** Replaces a process by kill -9; does nothing while the process still starts. */
  kill(index: number): void {
    const member = this.at(index);
    if (!member.isReady) return;
    this.kills += 1;
    member.process.kill('SIGKILL');
    this.members[index] = this.spawn();
  }

  freeze(index: number): void {
    const member = this.at(index);
    if (!member.isReady || member.isFrozen) return;
    this.freezes += 1;
    member.isFrozen = true;
    member.process.kill('SIGSTOP');
  }

  thaw(index: number): void {
    const member = this.at(index);
    member.isFrozen = false;
    member.process.kill('SIGCONT');
  }

  async whenReady(): Promise<void> {
    for (const member of this.members) {
      if (!member.isReady) await once(member.process, 'message');
    }
  }

  /** Drains all processes; returns their exit codes. */
  async end(): Promise<(number | null)[]> {
    return Promise.all(
      this.members.map(async ({ process: child }) => {
        if (child.exitCode !== null) return child.exitCode;
        const exited = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await exited;
        return child.exitCode;
      }),
    );
  }

  destroy(): void {
    for (const { process: child } of this.members) child.kill('SIGKILL');
  }

  private at(index: number): Member {
    const member = this.members[index];
    if (member === undefined) throw new RangeError(`no worker ${index}`);
    return member;
  }

  private spawn(): Member {
    this.seed += 1;
    const child = fork(PROGRAM, [this.url, String(this.seed)], {
      execArgv: ['-r', HOOK],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const member: Member = { process: child, isReady: false, isFrozen: false };
    child.once('message', () => {
      member.isReady = true;
    });
    return member;
  }
}
