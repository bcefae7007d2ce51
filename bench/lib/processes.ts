import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const REGISTER = path.join(__dirname, '..', '..', 'test', 'support', 'swc-register.cjs');

/** A program of the bench's own in another process; it prints `ready <json>` when it serves. */
export interface Server<T> {
  readonly pid: number;
  readonly told: T;
  stop(): Promise<void>;
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
  const told = await readyLine<T>(child);
  if (child.pid === undefined) throw new Error(`${file} has no pid`);
  return {
    pid: child.pid,
    told,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
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
