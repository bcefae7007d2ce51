import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { unusedPort } from '../fake-network/load-balancer';

const BOOT_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 100;

export interface Program {
  /** The Node that runs it. */
  readonly node: string;
  /** The folder of the image's files. */
  readonly app: string;
  /** The file that `colloquy` runs. */
  readonly command: string;
  readonly user: { readonly uid: number; readonly gid: number } | null;
  readonly env: Readonly<Record<string, string>>;
}

/** One process of the built server, started as the image starts it. */
export class Replica {
  readonly exited: Promise<number | string>;
  private output = '';

  private constructor(
    private readonly child: ChildProcessByStdio<null, Readable, Readable>,
    readonly port: number,
    readonly version: string,
  ) {
    child.stdout.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number);
  }

  /** Starts it and waits until `/health/startup` responds 200. */
  static async start(program: Program): Promise<Replica> {
    const port = await unusedPort();
    const replica = new Replica(
      spawnIn(program, [program.node, 'dist/main.js'], port),
      port,
      program.node,
    );
    const deadline = performance.now() + BOOT_TIMEOUT_MS;
    while (performance.now() < deadline && replica.child.exitCode === null) {
      if ((await replica.probe('/health/startup')) === 200) return replica;
      await pause(LOOK_EVERY_MS);
    }
    replica.kill();
    await replica.exited;
    throw new Error(`a replica did not start:\n${replica.output.slice(-2000)}`);
  }

  /** Starts it where it has to be refused; returns what it said. Throws when it serves or ends well. */
  static async refusal(program: Program): Promise<string> {
    const started = await Replica.start(program).then(
      async (replica) => {
        replica.terminate();
        await replica.exited;
        return null;
      },
      (error: unknown) => (error as Error).message,
    );
    if (started === null) throw new Error('a start that has to be refused was not');
    return started;
  }

  /** Runs `colloquy` with these arguments; returns what it printed. Throws when it fails. */
  static async run(program: Program, args: readonly string[]): Promise<string> {
    const child = spawnIn(program, [program.command, ...args], 0);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`colloquy ${args.join(' ')} failed:\n${output.slice(-2000)}`);
    return output;
  }

  /** Status of a GET; 0 without a response. */
  async probe(place: string): Promise<number> {
    return fetch(`http://127.0.0.1:${String(this.port)}${place}`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
  }

  /** Log lines of the levels error and fatal, and what is no log line. */
  get errors(): string[] {
    return this.output
      .split('\n')
      .filter((line) => line !== '' && !/^\{"level":"?(10|20|30|40|debug|info|warn)\b/.test(line));
  }

  terminate(): void {
    this.child.kill('SIGTERM');
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

function spawnIn(
  { node, app, user, env }: Program,
  [file, ...args]: readonly [string, ...string[]],
  port: number,
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(file, args, {
    cwd: app,
    ...user,
    // A command finds its Node here, as in the image.
    env: {
      PATH: `${path.dirname(node)}:/usr/bin:/bin`,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
