import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  fork,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const REGISTER = ['-r', path.join(ROOT, 'tools/support/swc-register.cjs')];

export interface CliCommand {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly input: string;
}

export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** What a command has begun. */
export interface CountedRun extends CliRun {
  /** Intervals that its process has begun since it started, and its connections to the database. */
  readonly starts: { readonly intervals: number; readonly connections: number };
}

/**
 * Runs `colloquy` with these arguments in another process, with only PATH of our environment. `input`
 * is the whole standard input. Calls share one process, also those of the next test files of this
 * worker, because loading the modules takes a second and a half; `runCliProcess` is for tests of the
 * process itself.
 */
export async function runCli(
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<CliRun> {
  const { code, out, err } = await runCliCounted(args, env, input);
  return { code, out, err };
}

/** The same, with what the command has begun. */
export function runCliCounted(
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<CountedRun> {
  const command = { args, env: { PATH: process.env.PATH ?? '', ...env }, input };
  const run = last.then(() => inHost(command));
  last = run.catch(() => undefined);
  return run;
}

/** The same as a process of its own. */
export async function runCliProcess(
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<CliRun> {
  const child = spawnCli(args, env);
  // A command that does not read its input may have ended already.
  child.stdin.on('error', () => undefined).end(input);
  const run = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (run.err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...run };
}

/** The same, without a reader of its standard output. */
export async function runCliUnread(args: readonly string[]): Promise<Omit<CliRun, 'out'>> {
  const child = spawnCli(args, {});
  child.stdin.end();
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

function spawnCli(
  args: readonly string[],
  env: Record<string, string>,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...REGISTER, path.join(ROOT, 'src/cli/colloquy.ts'), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

let last: Promise<unknown> = Promise.resolve();
/** On globalThis, because each test file loads this module anew. */
const holder = globalThis as { colloquyCliHost?: ChildProcess };

/** Ends the shared process; the next command starts a new one. Call it between commands. */
export async function endCliHost(): Promise<void> {
  const { colloquyCliHost: host } = holder;
  delete holder.colloquyCliHost;
  if (host?.connected !== true) return;
  const ended = once(host, 'exit');
  host.disconnect();
  await ended;
}

function startHost(): ChildProcess {
  const host = fork(path.join(__dirname, 'cli-host.cjs'), [], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
    execArgv: REGISTER,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // It ends with this worker and does not keep it alive.
  host.unref();
  host.channel?.unref();
  return host;
}

async function inHost(command: CliCommand): Promise<CountedRun> {
  const { colloquyCliHost: kept } = holder;
  const host = kept?.connected === true ? kept : startHost();
  holder.colloquyCliHost = host;
  const listening = new AbortController();
  const { signal } = listening;
  try {
    const gone = once(host, 'exit', { signal }).then(() => {
      throw new Error(
        `the process that runs commands ended during colloquy ${command.args.join(' ')}`,
      );
    });
    const ended = once(host, 'message', { signal }).then(([run]) => run as CountedRun);
    host.send(command);
    return await Promise.race([ended, gone]);
  } finally {
    listening.abort();
  }
}
