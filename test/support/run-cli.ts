import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command of src/cli as a process of its own, with nothing of our environment but PATH.
 * `input`: what somebody types, before going away.
 */
export async function runCli(
  name: string,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<CliRun> {
  const register = path.join(ROOT, 'test/support/swc-register.cjs');
  const child = spawn(
    process.execPath,
    ['-r', register, path.join(ROOT, 'src/cli', `${name}.ts`), ...args],
    { cwd: ROOT, env: { PATH: process.env.PATH, ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  // A command that does not read may have ended before.
  child.stdin.on('error', () => undefined).end(input);
  const run = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (run.err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...run };
}
