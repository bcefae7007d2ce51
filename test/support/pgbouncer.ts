import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Where Debian's package puts it; jest.config.cjs looks there too. */
const PROGRAM = '/usr/sbin/pgbouncer';
const NOBODY = 65_534;

export type PoolMode = 'session' | 'transaction' | 'statement';

export interface PgBouncer {
  /** The same database, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** A real PgBouncer in front of the database at `target`, with its own defaults. */
export async function startPgBouncer(target: string, mode: PoolMode): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(target);
  const database = pathname.slice(1);
  const listenPort = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  await chmod(folder, 0o755);
  // It does not run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PROGRAM, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(listenPort);
  const close = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  await hasStarted(child).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url: url.href, close };
}

async function hasStarted(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('pgbouncer has no stderr');
  const lines: string[] = [];
  const reader = createInterface({ input: child.stderr });
  const failed = once(child, 'error');
  await new Promise<void>((resolve, reject) => {
    failed.then(([error]) => {
      reject(error as Error);
    }, reject);
    reader.on('line', (line) => {
      lines.push(line);
      if (line.includes('process up')) resolve();
    });
    reader.on('close', () => {
      reject(new Error(`pgbouncer ended: ${lines.join('\n')}`));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
