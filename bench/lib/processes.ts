import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const REGISTER = path.join(__dirname, '..', '..', 'tools', 'support', 'swc-register.cjs');

/** USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;

/** A program of bench/servers in another process. It prints `ready <json>` when it serves. */
export interface Server<T> {
  readonly pid: number;
  /** The JSON that it printed. */
  readonly ready: T;
  /** Sends a request to the program and returns its response. */
  ask<A>(request: string): Promise<A>;
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

export async function startServer<T>(
  file: string,
  env: Record<string, string>,
  cpu?: number,
): Promise<Server<T>> {
  const args = ['--expose-gc', '-r', REGISTER, path.join(__dirname, '..', 'servers', file)];
  const [command, all] =
    cpu === undefined
      ? [process.execPath, args]
      : ['taskset', ['-c', String(cpu), process.execPath, ...args]];
  const child = spawn(command, all, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ready = await readyLine<T>(child);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  if (child.pid === undefined) throw new Error(`${file} has no pid`);
  return {
    pid: child.pid,
    ready,
    async ask<A>(request: string): Promise<A> {
      const responded = once(child, 'message');
      child.send(request);
      const [response] = (await responded) as [A];
      return response;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function readyLine<T>(child: ChildProcess): Promise<T> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const line = /^ready (.*)\n/m.exec(text)?.[1];
    if (line !== undefined) return JSON.parse(line) as T;
  }
  throw new Error('the server ended before it was ready');
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}

/** Seconds of processor time that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const [userTicks = NaN, systemTicks = NaN] = statOf(pid).slice(11);
  return (userTicks + systemTicks) / TICKS_PER_SECOND;
}

/** Seconds of processor time of a process's parent and all of the parent's children, ended ones included. */
export function cpuSecondsOfFamily(pid: number): number {
  const parent = statOf(pid)[1] ?? NaN;
  const ended = statOf(parent).slice(13, 15);
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
  const alive = [parent, ...children.split(' ').map(Number)].map(cpuSeconds);
  return [...alive, ...ended.map((ticks) => ticks / TICKS_PER_SECOND)].reduce((a, b) => a + b);
}

/** The fields of /proc/pid/stat after the name: the state (as NaN), the parent, and so on. */
function statOf(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

/** Keeps this process, and what it starts from now on, on one processor. */
export function pinTo(cpu: number): void {
  spawnSync('taskset', ['-acp', String(cpu), String(process.pid)]);
}
